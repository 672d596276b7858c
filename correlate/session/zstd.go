package session

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// decoders holds decoders, which are costly to make. They start no goroutine of their own and give memory to no
// payload beyond maxPayload.
var decoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPayload), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic("session: zstd decoder: " + err.Error()) // the options are constants
	}
	return d
}}

// newEncoder returns an encoder for EncodeAll, which starts no goroutine.
func newEncoder(level zstd.EncoderLevel) *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic("session: zstd encoder: " + err.Error()) // the options are constants
	}
	return e
}
