#include "io/images/image_files.h"

#include <turbojpeg.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/error.h"
#include "core/file.h"
#include "io/images/exr_codec.h"
#include "io/images/exr_reading.h"
#include "io/images/jpeg_rows.h"
#include "io/images/orientation.h"
#include "io/images/png_codec.h"

namespace mote {
namespace {

constexpr std::uint64_t kMaxEncodedBytes = 1ull << 31;
constexpr std::uint64_t kUsualHeaderBytes = 1ull << 16;
constexpr std::uint64_t kMaxImageHeaderBytes = 1ull << 22;  // includes colour profile and preview

bool is_jpeg(std::span<const std::byte> head) {
  return head.size() >= 3 && head[0] == std::byte{0xff} && head[1] == std::byte{0xd8} &&
         head[2] == std::byte{0xff};
}

[[noreturn]] void refuse_kind(const std::string& name) {
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
                    std::to_string(kMaxImageSide) + " per side can be read",
                name, "scale the image down");
  }
  header.gray = colorspace == TJCS_GRAY;
  return header;
}

/// Decodes at a size scaled by `scale`. This reads all bytes but takes less time.
Image8 decode_jpeg(std::span<const std::byte> bytes, const std::string& name,
                   tjscalingfactor scale = {1, 1}) {
  const JpegDecoder decoder(tjInitDecompress());
  if (!decoder) throw std::bad_alloc();
  const JpegHeader header = jpeg_header(decoder.get(), bytes, name);
  Image8 image;
  image.resize_discard(TJSCALED(header.size.width, scale), TJSCALED(header.size.height, scale),
                       header.gray ? 1 : 3);
  const int status =
      tjDecompress2(decoder.get(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), image.pixels.data(), image.width, 0, image.height,
                    header.gray ? TJPF_GRAY : TJPF_RGB, TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS);
  // libjpeg fills missing parts of a damaged file with grey and reports only a warning.
  const std::string message = status == 0 ? "" : tjGetErrorStr2(decoder.get());
  if (status != 0 && !is_harmless_jpeg_warning(message, bytes.size())) {
    throw Error("damaged JPEG: " + message, name, "copy or download the file again");
  }
  return image;
}

ImageSize jpeg_size(std::span<const std::byte> bytes, const std::string& name) {
  const JpegDecoder decoder(tjInitDecompress());
  if (!decoder) throw std::bad_alloc();
  return jpeg_header(decoder.get(), bytes, name).size;
}

/// Reads at most `most_bytes` of the beginning of the file.
ImageSize size_from_head(const InputFile& file, std::uint64_t most_bytes) {
  std::vector<std::byte> head(std::min(file.size(), most_bytes));
  file.read_exact(0, head);
  if (is_png(head)) return png_facts(head, file.name()).size;
  if (is_jpeg(head)) return jpeg_size(head, file.name());
  refuse_kind(file.name());
}

bool is_black(const Image8& image) {
  const auto step = static_cast<std::size_t>(image.channels);
  for (std::size_t i = 0; i < image.pixels.size(); i += step) {
    if (image.pixels[i] != 0) return false;
  }
  return true;
}

std::uint64_t signature_of(std::span<const std::byte> bytes) {
  const auto checksum = ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  return std::uint64_t{bytes.size()} << 32 | checksum;
}

}  // namespace

bool is_exr_file(const std::filesystem::path& path) {
  std::array<std::byte, 4> head{};
  const std::size_t count = InputFile(path).read_some(0, head);
  return is_exr(std::span(head).first(count));
}

ImageSize read_image_size(const std::filesystem::path& path) {
  if (is_exr_file(path)) {
    const ExrFacts facts = read_exr_facts(path, kMaxImageSide);
    return {facts.width, facts.height};
  }
  const InputFile file(path);
  if (file.size() <= kUsualHeaderBytes) return size_from_head(file, kUsualHeaderBytes);
  // Most headers are short. A long one fails the first attempt.
  try {
    return size_from_head(file, kUsualHeaderBytes);
  } catch (const Error&) {
    return size_from_head(file, kMaxImageHeaderBytes);
  }
}

ImageFacts check_image(const std::filesystem::path& path) {
  const std::string bytes = read_text_file(path, kMaxEncodedBytes);
  const auto span = std::as_bytes(std::span(bytes));
  ImageFacts facts;
  if (is_png(span)) {
    facts = png_facts(span, path.string());
    facts.black = is_black(decode_png(span, path.string()));
  } else if (is_jpeg(span)) {
    const Image8 coarse = decode_jpeg(span, path.string(), {1, 8});
    facts.size = jpeg_size(span, path.string());
    facts.channels = coarse.channels;
    facts.black = is_black(coarse);
  } else if (is_exr(span)) {
    const ImageLight light = read_exr_light(path);
    facts.size = {light.width, light.height};
    facts.channels = light.channels;
    facts.is_linear = true;
  } else {
    throw Error("is neither PNG, JPEG nor EXR", path.string(), "convert the image to one of these");
  }
  if (const auto tag = find_orientation(span)) facts.orientation = tag->value;
  facts.signature = signature_of(span);
  return facts;
}

Image8 read_image8(const std::filesystem::path& path) {
  const std::string bytes = read_text_file(path, kMaxEncodedBytes);
  const auto span = std::as_bytes(std::span(bytes));
  if (is_png(span)) return decode_png(span, path.string());
  if (is_jpeg(span)) return decode_jpeg(span, path.string());
  refuse_kind(path.string());
}

void write_png(const Image& image, const std::filesystem::path& path, Existing existing) {
  OutputFile file(path, existing);
  encode_png(image, file, path.string());
  file.commit();
}

void write_exr(const Image& image, const std::vector<std::string>& channel_names,
               const std::filesystem::path& path) {
  OutputFile file(path);
  encode_exr(image, channel_names, file);
  file.commit();
}

}  // namespace mote
