#include "io/images/exr_codec.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <OpenEXR/ImfThreading.h>

#include <mutex>
#include <thread>

#include "core/error.h"
#include "io/images/own_file.h"

namespace mote {
namespace {

/// Makes OpenEXR write through an OutputFile. It seeks back once to write the table of offsets.
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

}  // namespace

void encode_exr(const Image& image, const std::vector<std::string>& channel_names,
                OutputFile& file) {
  CHECK(image.width > 0 && image.height > 0);
  CHECK(static_cast<std::size_t>(image.channels) == channel_names.size());
  ExrStream stream(file, file.name());
  static std::once_flag threads_started;
  std::call_once(threads_started, [] {
    Imf::setGlobalThreadCount(static_cast<int>(std::thread::hardware_concurrency()));
  });
  Imf::Header header(image.width, image.height);
  header.compression() = Imf::ZIP_COMPRESSION;
  header.insert("software", Imf::StringAttribute(kSoftware));
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

}  // namespace mote
