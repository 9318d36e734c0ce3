#include "io/decompression.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <new>
#include <string>
#include <vector>

#include "core/error.h"

namespace mote {
namespace {

constexpr int kEitherWindowBits = MAX_WBITS + 32;  // 32: a header of gzip or zlib, see zlib.h
constexpr std::size_t kInputBytes = std::size_t{256} << 10;
constexpr std::size_t kCountingBytes = std::size_t{64} << 10;

class StoredReader final : public Decompressor {
 public:
  StoredReader(const InputFile& file, std::uint64_t offset, std::uint64_t size)
      : Decompressor(file, offset, size) {}

  std::size_t read_some(std::span<std::byte> out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      const std::span<const std::byte> in = input();
      if (in.empty()) break;
      const std::size_t part = std::min(in.size(), out.size() - done);
      std::copy_n(in.begin(), part, out.begin() + static_cast<std::ptrdiff_t>(done));
      consume(part);
      done += part;
    }
    return done;
  }
};

class GzipReader final : public Decompressor {
 public:
  GzipReader(const InputFile& file, std::uint64_t offset, std::uint64_t size)
      : Decompressor(file, offset, size) {
    if (inflateInit2(&stream_, kEitherWindowBits) != Z_OK) throw std::bad_alloc();
  }
  ~GzipReader() override { inflateEnd(&stream_); }

  std::size_t read_some(std::span<std::byte> out) override {
    std::size_t done = 0;
    while (done < out.size() && !ended_) {
      const std::span<const std::byte> in = input();
      if (in.empty()) fail("the compressed stream is truncated");
      const std::size_t available = std::min<std::size_t>(out.size() - done, 1u << 30);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
      stream_.avail_in = static_cast<uInt>(in.size());
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + done);
      stream_.avail_out = static_cast<uInt>(available);
      const int result = inflate(&stream_, Z_NO_FLUSH);
      consume(in.size() - stream_.avail_in);
      done += available - stream_.avail_out;
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      if (result != Z_OK && result != Z_STREAM_END) {
        fail(std::string("the compressed stream is damaged: ") +
             (stream_.msg ? stream_.msg : "no progress"));
      }
      ended_ = result == Z_STREAM_END;
    }
    return done;
  }

 private:
  z_stream stream_{};
  bool ended_ = false;
};

class ZstdReader final : public Decompressor {
 public:
  ZstdReader(const InputFile& file, std::uint64_t offset, std::uint64_t size,
             std::uint64_t content_size)
      : Decompressor(file, offset, size), context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
    // RFC 8878 asks decoders for at least 8 MiB. A larger window must not exceed the content.
    const int log = std::clamp(static_cast<int>(std::bit_width(content_size)), 23, 27);
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, log);
  }

  std::size_t read_some(std::span<std::byte> out) override {
    ZSTD_outBuffer target{out.data(), out.size(), 0};
    while (target.pos < target.size) {
      const std::span<const std::byte> in = input();
      if (in.empty() && frame_ended_) break;
      ZSTD_inBuffer source{in.data(), in.size(), 0};
      const std::size_t before = target.pos;
      const std::size_t result = ZSTD_decompressStream(context_.get(), &target, &source);
      if (ZSTD_isError(result)) {
        fail(std::string("the zstd stream is damaged: ") + ZSTD_getErrorName(result));
      }
      consume(source.pos);
      if (in.empty() && target.pos == before) fail("the zstd stream is truncated");
      frame_ended_ = result == 0;
    }
    return target.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  bool frame_ended_ = false;
};

}  // namespace

Decompressor::Decompressor(const InputFile& file, std::uint64_t offset, std::uint64_t size)
    : file_(file),
      offset_(offset),
      left_(size),
      buffer_(new std::byte[std::min<std::uint64_t>(size, kInputBytes)]) {}

std::span<const std::byte> Decompressor::input() {
  if (begin_ == end_ && left_ > 0) {
    begin_ = 0;
    end_ = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kInputBytes));
    file_.read_exact(offset_, std::span(buffer_.get(), end_));
    offset_ += end_;
    left_ -= end_;
  }
  return {buffer_.get() + begin_, end_ - begin_};
}

void Decompressor::fail(const std::string& problem) const {
  throw Error(problem, file_.name() + ", byte " + std::to_string(offset_ - (end_ - begin_)),
              "copy or download the file again");
}

void Decompressor::read_exact(std::span<std::byte> out) {
  const std::size_t got = read_some(out);
  if (got == out.size()) return;
  fail("truncated: the content ends " + std::to_string(out.size() - got) + " bytes early");
}

std::uint64_t Decompressor::count_rest(std::uint64_t limit) {
  std::vector<std::byte> scratch(kCountingBytes);
  std::uint64_t count = 0;
  while (count < limit) {
    const std::size_t got = read_some(scratch);
    count += got;
    if (got < scratch.size()) break;
  }
  return count;
}

std::size_t inflate_head(std::span<const std::byte> in, std::span<std::byte> out) {
  z_stream stream{};
  if (inflateInit2(&stream, kEitherWindowBits) != Z_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_SYNC_FLUSH);
  inflateEnd(&stream);
  return out.size() - stream.avail_out;
}

bool expand_zstd(std::span<const std::byte> in, std::span<std::byte> out) {
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), in.data(), in.size());
  return ZSTD_isError(size) == 0u && size == out.size();
}

std::unique_ptr<Decompressor> open_stored(const InputFile& file, std::uint64_t offset,
                                          std::uint64_t size) {
  return std::make_unique<StoredReader>(file, offset, size);
}

std::unique_ptr<Decompressor> open_gzip(const InputFile& file, std::uint64_t offset,
                                        std::uint64_t size) {
  return std::make_unique<GzipReader>(file, offset, size);
}

std::unique_ptr<Decompressor> open_zstd(const InputFile& file, std::uint64_t offset,
                                        std::uint64_t size, std::uint64_t content_size) {
  return std::make_unique<ZstdReader>(file, offset, size, content_size);
}

}  // namespace mote
