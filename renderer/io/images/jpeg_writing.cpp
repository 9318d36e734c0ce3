#include "io/images/jpeg_writing.h"

#include <turbojpeg.h>

#include <memory>
#include <string>

#include "core/error.h"

namespace mote {
namespace {

struct EndEncoder {
  void operator()(void* handle) const { tjDestroy(handle); }
};
struct FreeJpeg {
  void operator()(unsigned char* bytes) const { tjFree(bytes); }
};

}  // namespace

void write_jpeg(const Image8& image, const std::filesystem::path& path, int quality,
                Existing existing) {
  CHECK(image.channels == 3 && image.width > 0 && image.height > 0);
  const std::unique_ptr<void, EndEncoder> encoder(tjInitCompress());
  if (!encoder) throw std::bad_alloc();
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): the library's type
  const int status = tjCompress2(encoder.get(), image.pixels.data(), image.width, 0, image.height,
                                 TJPF_RGB, &bytes, &size, TJSAMP_444, quality, TJFLAG_ACCURATEDCT);
  const std::unique_ptr<unsigned char, FreeJpeg> owned(bytes);
  if (status != 0) {
    throw Error(std::string("cannot be written as JPEG: ") + tjGetErrorStr2(encoder.get()),
                path.string(), "choose another size");
  }
  OutputFile file(path, existing);
  file.write(std::as_bytes(std::span(owned.get(), size)));
  file.commit();
}

}  // namespace mote
