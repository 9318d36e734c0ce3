#include "io/gzip_writer.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

namespace mote {

namespace {

constexpr std::size_t kMostInput = std::size_t{1} << 30;  // zlib counts in 32 bits

}  // namespace

struct GzipWriter::State {
  z_stream stream{};
  std::array<std::byte, std::size_t{256} << 10> out;
};

GzipWriter::GzipWriter(OutputFile& file, GzipEffort effort) : file_(file), state_(new State) {
  constexpr int kMostMemory = 9;
  const int level = effort == GzipEffort::least ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION;
  if (deflateInit2(&state_->stream, level, Z_DEFLATED, MAX_WBITS + 16, kMostMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

GzipWriter::~GzipWriter() {
  deflateEnd(&state_->stream);
}

void GzipWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t part = std::min(bytes.size(), kMostInput);
    run(bytes.first(part), Z_NO_FLUSH);
    bytes = bytes.subspan(part);
  }
}

void GzipWriter::finish() {
  run({}, Z_FINISH);
}

void GzipWriter::run(std::span<const std::byte> bytes, int flush) {
  z_stream& stream = state_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(state_->out.data());
    stream.avail_out = static_cast<uInt>(state_->out.size());
    deflate(&stream, flush);
    file_.write(std::span(state_->out).first(state_->out.size() - stream.avail_out));
  } while (stream.avail_out == 0);
}

}  // namespace mote
