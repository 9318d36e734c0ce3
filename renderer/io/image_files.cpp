#include "io/image_files.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfThreading.h>
#include <turbojpeg.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "io/png_codec.h"

namespace mote {
namespace {

constexpr std::uint64_t kMaxEncodedBytes = 1ull << 31;
constexpr std::uint64_t kUsualHeaderBytes = 1ull << 16;
constexpr std::uint64_t kMaxHeaderBytes = 1ull << 22;  // with colour profile and preview

bool is_jpeg(std::span<const std::byte> head) {
  return head.size() >= 3 && head[0] == std::byte{0xff} && head[1] == std::byte{0xd8} &&
         head[2] == std::byte{0xff};
}

[[noreturn]] void refuse(const std::string& name) {
  throw Error("is neither PNG nor JPEG", name, "convert the image to one of the two");
}

using JpegDecoder = std::unique_ptr<void, decltype([](tjhandle handle) { tjDestroy(handle); })>;

struct JpegHeader {
  ImageSize size;
  bool gray = false;
};

JpegHeader jpeg_header(tjhandle decoder, std::span<const std::byte> bytes,
                       const std::string& name) {
  JpegHeader header;
  int subsampling = 0, colorspace = 0;
  if (tjDecompressHeader3(decoder, reinterpret_cast<const unsigned char*>(bytes.data()),
                          bytes.size(), &header.size.width, &header.size.height, &subsampling,
                          &colorspace) != 0) {
    throw Error(std::string("damaged JPEG: ") + tjGetErrorStr2(decoder), name,
                "copy or download the file again");
  }
  if (colorspace == TJCS_CMYK || colorspace == TJCS_YCCK) {
    throw Error("is a CMYK JPEG, expected colour or grey", name, "save the image as RGB");
  }
  if (std::max(header.size.width, header.size.height) > kMaxImageSide) {
    throw Error("has " + std::to_string(header.size.width) + "x" +
                    std::to_string(header.size.height) + " pixels, at most " +
                    std::to_string(kMaxImageSide) + " a side can be read",
                name, "scale the image down");
  }
  header.gray = colorspace == TJCS_GRAY;
  return header;
}

Image8 decode_jpeg(std::span<const std::byte> bytes, const std::string& name) {
  const JpegDecoder decoder(tjInitDecompress());
  if (!decoder) throw std::bad_alloc();
  const JpegHeader header = jpeg_header(decoder.get(), bytes, name);
  Image8 image;
  image.resize_discard(header.size.width, header.size.height, header.gray ? 1 : 3);
  const int status =
      tjDecompress2(decoder.get(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), image.pixels.data(), image.width, 0, image.height,
                    header.gray ? TJPF_GRAY : TJPF_RGB, TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS);
  // libjpeg fills what is missing of a damaged file with grey and calls it a warning; bytes too
  // many between two segments lose nothing and come from many cameras.
  const std::string_view message = status == 0 ? "" : tjGetErrorStr2(decoder.get());
  if (status != 0 && message.find("extraneous bytes") == std::string_view::npos) {
    throw Error("damaged JPEG: " + std::string(message), name, "copy or download the file again");
  }
  return image;
}

/// Lets OpenEXR write through an OutputFile; it goes back once to fill in the table of offsets.
class ExrStream : public Imf::OStream {
 public:
  ExrStream(OutputFile& file, const std::string& name) : OStream(name.c_str()), file_(file) {}

  void write(const char bytes[], int count) override {
    const auto part = std::as_bytes(std::span(bytes, static_cast<std::size_t>(count)));
    if (position_ == end_) {
      file_.write(part);
      end_ += part.size();
    } else {
      CHECK(position_ + part.size() <= end_);
      file_.overwrite(position_, part);
    }
    position_ += part.size();
  }
  std::uint64_t tellp() override { return position_; }
  void seekp(std::uint64_t position) override { position_ = position; }

 private:
  OutputFile& file_;
  std::uint64_t position_ = 0, end_ = 0;
};

void encode_exr(const Image& image, const std::vector<std::string>& channel_names,
                ExrStream& stream) {
  static std::once_flag threads_started;
  std::call_once(threads_started, [] {
    Imf::setGlobalThreadCount(static_cast<int>(std::thread::hardware_concurrency()));
  });
  Imf::Header header(image.width, image.height);
  header.compression() = Imf::ZIP_COMPRESSION;
  Imf::FrameBuffer frame;
  const std::size_t pixel_bytes = channel_names.size() * sizeof(float);
  const std::size_t row_bytes = pixel_bytes * static_cast<std::size_t>(image.width);
  for (std::size_t c = 0; c < channel_names.size(); ++c) {
    header.channels().insert(channel_names[c], Imf::Channel(Imf::FLOAT));
    auto* base = reinterpret_cast<char*>(const_cast<float*>(image.pixels.data() + c));
    frame.insert(channel_names[c], Imf::Slice(Imf::FLOAT, base, pixel_bytes, row_bytes));
  }
  Imf::OutputFile output(stream, header);
  output.setFrameBuffer(frame);
  output.writePixels(image.height);
}

/// Whether one of the last bytes of the file are those that end such an image.
bool ends_with(const InputFile& file, std::span<const unsigned char> mark) {
  constexpr std::uint64_t kTail = 64;  // some writers pad
  std::array<std::byte, kTail> tail;
  const std::uint64_t offset = file.size() - std::min(file.size(), kTail);
  const std::size_t got = file.read_some(offset, tail);
  const auto end = tail.begin() + static_cast<std::ptrdiff_t>(got);
  const auto marks = std::as_bytes(mark);
  return std::search(tail.begin(), end, marks.begin(), marks.end()) != end;
}

/// Reads at most so many bytes of the file's beginning.
ImageFacts facts_of_head(const InputFile& file, std::uint64_t most_bytes) {
  constexpr unsigned char kPngEnd[] = {'I', 'E', 'N', 'D'}, kJpegEnd[] = {0xff, 0xd9};
  std::vector<std::byte> head(std::min(file.size(), most_bytes));
  file.read_exact(0, head);
  const std::span<const std::byte> span = head;
  if (is_png(span)) {
    ImageFacts facts = png_facts(span, file.name());
    facts.ends_well = ends_with(file, kPngEnd);
    return facts;
  }
  if (!is_jpeg(span)) refuse(file.name());
  const JpegDecoder decoder(tjInitDecompress());
  if (!decoder) throw std::bad_alloc();
  const JpegHeader header = jpeg_header(decoder.get(), span, file.name());
  return {header.size, header.gray ? 1 : 3, ends_with(file, kJpegEnd)};
}

}  // namespace

ImageFacts read_image_facts(const std::filesystem::path& path) {
  const InputFile file(path);
  if (file.size() <= kUsualHeaderBytes) return facts_of_head(file, kUsualHeaderBytes);
  // Most headers are short; a long one looks damaged at first.
  try {
    return facts_of_head(file, kUsualHeaderBytes);
  } catch (const Error&) {
    return facts_of_head(file, kMaxHeaderBytes);
  }
}

ImageSize read_image_size(const std::filesystem::path& path) {
  return read_image_facts(path).size;
}

Image8 read_image8(const std::filesystem::path& path) {
  const std::string bytes = read_text_file(path, kMaxEncodedBytes);
  const auto span = std::as_bytes(std::span(bytes));
  if (is_png(span)) return decode_png(span, path.string());
  if (is_jpeg(span)) return decode_jpeg(span, path.string());
  refuse(path.string());
}

void write_png(const Image& image, const std::filesystem::path& path) {
  OutputFile file(path);
  encode_png(image, file, path.string());
  file.commit();
}

void write_exr(const Image& image, const std::vector<std::string>& channel_names,
               const std::filesystem::path& path) {
  CHECK(image.width > 0 && image.height > 0);
  CHECK(static_cast<std::size_t>(image.channels) == channel_names.size());
  OutputFile file(path);
  ExrStream stream(file, path.string());
  encode_exr(image, channel_names, stream);
  file.commit();
}

}  // namespace mote
