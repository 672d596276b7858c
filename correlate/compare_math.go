package correlate

import "math"

// welch returns the two-sided probability that two means of equal things differ by as much (Welch, 1947). NaN if one
// of them rests on fewer than three blocks.
func welch(a, b Estimate) float64 {
	if a.N < 3 || b.N < 3 || math.IsNaN(a.Low) || math.IsNaN(b.Low) {
		return math.NaN()
	}
	va, vb := variance(a), variance(b)
	if va+vb == 0 {
		if a.Value == b.Value {
			return 1
		}
		return 0
	}
	t := math.Abs(a.Value-b.Value) / math.Sqrt(va+vb)
	df := (va + vb) * (va + vb) / (va*va/float64(a.N-1) + vb*vb/float64(b.N-1))
	return studentTail(t, df)
}

// variance of a mean, from its interval.
func variance(e Estimate) float64 {
	se := (e.High - e.Low) / 2 / student(e.N-1)
	return se * se
}

// poisson returns the two-sided probability that two counts of equal rates differ by as much: given their sum, one of
// them is binomial (Przyborowski and Wilenski, 1940).
func poisson(a, b Estimate) float64 {
	if math.IsNaN(a.Count) || math.IsNaN(b.Count) || !(a.Of > 0) || !(b.Of > 0) {
		return math.NaN()
	}
	n := a.Count + b.Count
	if n == 0 {
		return 1
	}
	p := a.Of / (a.Of + b.Of)
	below := 1 - betaRegularized(a.Count+1, n-a.Count, p) // P(X <= k)
	if a.Count == n {
		below = 1
	}
	above := 1.0 // P(X >= k)
	if a.Count > 0 {
		above = betaRegularized(a.Count, n-a.Count+1, p)
	}
	return min(1, 2*min(below, above))
}

// student is the 97.5 % point of Student's t with df degrees of freedom, by bisection.
func student(df int) float64 {
	lo, hi := 0.0, 20.0
	for range 60 {
		mid := (lo + hi) / 2
		if studentTail(mid, float64(df)) > 0.05 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// studentTail is the probability that |T| exceeds t.
func studentTail(t, df float64) float64 { return betaRegularized(df/2, 0.5, df/(df+t*t)) }

// betaRegularized is the regularised incomplete beta function, by its continued fraction (DLMF 8.17.22).
func betaRegularized(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - betaRegularized(b, a, 1-x)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a
	const tiny = 1e-300
	c, d := 1.0, 1-(a+b)*x/(a+1)
	if math.Abs(d) < tiny {
		d = tiny
	}
	d = 1 / d
	f := d
	for i := 1.0; i < 500; i++ {
		for _, num := range []float64{i * (b - i) * x / ((a + 2*i - 1) * (a + 2*i)), -(a + i) * (a + b + i) * x / ((a + 2*i) * (a + 2*i + 1))} {
			d = 1 + num*d
			if math.Abs(d) < tiny {
				d = tiny
			}
			c = 1 + num/c
			if math.Abs(c) < tiny {
				c = tiny
			}
			d = 1 / d
			f *= c * d
		}
		if math.Abs(c*d-1) < 1e-14 {
			break
		}
	}
	return front * f
}

// gammaQuantile is the q quantile of a gamma distribution of shape k and scale 1, by bisection.
func gammaQuantile(k, q float64) float64 {
	lo, hi := 0.0, k+20*math.Sqrt(k)+40
	for range 100 {
		mid := (lo + hi) / 2
		if gammaRegularized(k, mid) < q {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// gammaRegularized is the lower regularised incomplete gamma function: its series for small x (DLMF 8.11.4), else its
// continued fraction (DLMF 8.9.2).
func gammaRegularized(k, x float64) float64 {
	if x <= 0 {
		return 0
	}
	lg, _ := math.Lgamma(k)
	front := math.Exp(k*math.Log(x) - x - lg)
	if x < k+1 {
		sum, term := 1/k, 1/k
		for i := 1.0; i < 10000 && term > sum*1e-16; i++ {
			term *= x / (k + i)
			sum += term
		}
		return front * sum
	}
	const tiny = 1e-300
	b := x + 1 - k
	c, d := 1/tiny, 1/b
	f := d
	for i := 1.0; i < 10000; i++ {
		an := -i * (i - k)
		b += 2
		d = an*d + b
		if math.Abs(d) < tiny {
			d = tiny
		}
		c = b + an/c
		if math.Abs(c) < tiny {
			c = tiny
		}
		d = 1 / d
		f *= c * d
		if math.Abs(c*d-1) < 1e-15 {
			break
		}
	}
	return 1 - front*f
}
