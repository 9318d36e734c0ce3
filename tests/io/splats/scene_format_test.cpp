// Properties of every format in the list.
#include "io/splats/scene_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "core/error.h"
#include "io/splats/format_lists.h"
#include "support/files/format_samples.h"

namespace mote {
namespace {

using samples::TemporaryFile;

std::string error_text(const std::filesystem::path& path) {
  try {
    load_scene(path);
  } catch (const Error& error) {
    EXPECT_NE(error.where().find(path.string()), std::string::npos) << error.what();
    EXPECT_NE(error.remedy(), "") << error.what();
    return error.what();
  }
  return "";
}

TEST(SceneFormats, AreListedForTextsAndDialogs) {
  const std::vector<std::string> all = format_extensions(FormatUse::read);
  const std::vector<std::string> written = format_extensions(FormatUse::write);
  std::size_t count = 0, writable = 0;
  for (const SceneFormat& format : scene_formats()) {
    count += format.extensions.size();
    if (format.can_be_written()) writable += format.extensions.size();
    EXPECT_EQ(format.strength.empty(), format.write == nullptr) << format.name;
    for (const std::string_view extension : format.extensions) {
      EXPECT_NE(formats_with_models().find(extension), std::string::npos);
    }
    EXPECT_NE(formats_with_models().find(model_name(format.model)), std::string::npos);
  }
  EXPECT_EQ(all.size(), count);
  EXPECT_EQ(written.size(), writable);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &std::string::size));
  EXPECT_EQ(shortest_extensions(FormatUse::read),
            (std::vector<std::string>{".pt", ".ply", ".spz", ".pth", ".4dgs", ".ckpt", ".ingp",
                                      ".splatv", ".msgpack"}));
  EXPECT_NE(format_strengths().find(".spz: small files"), std::string::npos);
}

/// The splats of `loaded` in the order of those of `cloud` that are nearest: formats may file them
/// by time.
SplatCloud in_order_of(const SplatCloud& cloud, const SplatCloud& loaded) {
  std::vector<std::uint32_t> order;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    std::uint32_t nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t k = 0; k < loaded.count(); ++k) {
      double squares = 0;
      for (const Field field : {Field::mean_x, Field::mean_y, Field::mean_z}) {
        const double apart =
            static_cast<double>(cloud.at(i, field)) - static_cast<double>(loaded.at(k, field));
        squares += apart * apart;
      }
      if (squares >= least) continue;
      least = squares;
      nearest = k;
    }
    order.push_back(nearest);
  }
  return reordered(loaded, order);
}

TEST(SceneFormats, WrittenFilesAreReadBackUnderAnyName) {
  // The largest tolerance that any format states for values of random_cloud().
  constexpr samples::Tolerance kCoarsest{.mean = 1.3e-4f,
                                         .log_scale = 0.032f,
                                         .rotation = 0.003f,
                                         .opacity = 0.002f,
                                         .dc = 0.0132f,
                                         .sh = 0.0665f};
  int written = 0;
  for (const SceneFormat& format : scene_formats()) {
    if (!format.write) continue;
    ++written;
    for (int degree = 0; degree <= kMaxShDegree; ++degree) {
      SplatCloud cloud = samples::random_cloud(1000, degree, 3);
      cloud.antialiased = degree > 2;
      const TemporaryFile file(std::string(format.extensions.front())), renamed(".data");
      double last = 0;
      const auto losses = save_scene(cloud, file.path(), Existing::replace, [&](double fraction) {
        EXPECT_GE(fraction, last);
        last = fraction;
      });
      // A format without the degree says so.
      const int kept = format.name == "splatv" ? 0 : format.name == "4dgs" ? 3 : kMaxShDegree;
      EXPECT_EQ(losses.empty(), degree <= kept) << format.name;
      cloud = with_sh_degree(cloud, std::min(degree, kept));
      if (format.name == "splatv") cloud.antialiased = false;
      EXPECT_DOUBLE_EQ(last, 1) << format.name;
      renamed.write(file.read());
      EXPECT_EQ(probe_scene_format(InputFile(renamed.path())).name, format.name);
      const SplatCloud loaded = in_order_of(cloud, load_scene(renamed.path()));
      EXPECT_EQ(difference(cloud, loaded, kCoarsest), "") << format.name;
    }
  }
  EXPECT_GE(written, 2);
}

TEST(SceneFormats, ReadingReportsProgressAndStopsIfTheCallbackThrows) {
  const SplatCloud cloud = samples::random_cloud(1000, 0, 4);
  struct Stop {};
  for (const std::string& content :
       {samples::ply_file(cloud), samples::ply_file(cloud, {.encoding = "ascii"}),
        samples::compressed_ply_file(cloud, true), samples::spz_file(cloud, 3),
        samples::spz_file(cloud, 4)}) {
    const TemporaryFile file(content, "");
    EXPECT_THROW(load_scene(file.path(), [](double) { throw Stop(); }), Stop);
    double last = 0;
    load_scene(file.path(), [&](double fraction) {
      EXPECT_GE(fraction, last);
      last = fraction;
    });
    EXPECT_DOUBLE_EQ(last, 1);
  }
}

TEST(SceneFormats, UnknownContentMissingFilesAndFoldersHaveDifferentMessages) {
  const TemporaryFile empty("", ".ply"), text("some text", ".ply");
  const TemporaryFile missing(".ply");
  EXPECT_NE(error_text(empty.path()).find("is empty"), std::string::npos);
  EXPECT_NE(error_text(text.path()).find("unknown format"), std::string::npos);
  EXPECT_NE(error_text(missing.path()).find("No such file"), std::string::npos);
  EXPECT_NE(error_text(std::filesystem::temp_directory_path()).find("directory"),
            std::string::npos);
}

TEST(SceneFormats, UnknownExtensionsAreRefusedAndLeaveNoFile) {
  const TemporaryFile file(".obj");
  try {
    save_scene(samples::random_cloud(1, 0, 5), file.path());
    ADD_FAILURE() << "was written";
  } catch (const Error& error) {
    EXPECT_NE(error.remedy().find(".spz"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(file.path()));
}

}  // namespace
}  // namespace mote
