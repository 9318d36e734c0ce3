// FFmpeg's libraries are loaded when they are needed, and only then.
#include "io/video/ffmpeg.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "io/video/video.h"

namespace mote {
namespace {

bool is_loaded(const std::string& file) {
  void* handle = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) ::dlclose(handle);
  return handle != nullptr;
}

TEST(Ffmpeg, IsLoadedByTheFirstQueryForAnEncoderAndNotBefore) {
  const FfmpegFiles files;
  for (const std::string& file : {files.avutil, files.avcodec, files.avformat, files.swscale}) {
    EXPECT_FALSE(is_loaded(file)) << file;
  }
  EXPECT_FALSE(video_encoders().empty());
  for (const std::string& file : {files.avutil, files.avcodec, files.avformat, files.swscale}) {
    EXPECT_TRUE(is_loaded(file)) << file;
  }
}

TEST(Ffmpeg, ReportsAMissingLibraryWithARemedy) {
  FfmpegFiles files;
  files.avcodec = "libavcodec.so.1";
  try {
    load_ffmpeg(files);
    FAIL() << "was loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "libavcodec.so.1");
    EXPECT_NE(error.problem().find("libavcodec.so.1"), std::string::npos) << error.problem();
    EXPECT_NE(error.remedy().find("install"), std::string::npos) << error.remedy();
  }
}

TEST(Ffmpeg, RefusesALibraryThatLacksAFunction) {
  FfmpegFiles files;
  files.swscale = files.avutil;
  EXPECT_THROW(load_ffmpeg(files), Error);
}

}  // namespace
}  // namespace mote
