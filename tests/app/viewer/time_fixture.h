#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "app/viewer/session/action.h"
#include "core/error.h"
#include "io/images/image_files.h"
#include "io/splats/scene_format.h"
#include "splats/moment.h"
#include "support/viewer_fixture.h"

namespace mote {

/// A viewer whose pictures at several times are compared.
class ViewerInTime : public ScriptedViewer {
 protected:
  double time_s() const { return session().clock.time_s(); }
  /// The picture of a file in the present view.
  Image8 expected(const std::filesystem::path& file, const std::string& lines = "") {
    run("hide 1\nopen " + file.string() + "\nwait still\n" + lines +
        "wait still\nscreenshot {}/expected.png\nwait saved\nclose\nshow 1\nwait still\n");
    return read_image8(path("expected.png"));
  }
  Image8 shot() {
    run("wait still\nscreenshot {}/shot.png\nwait saved\n");
    return read_image8(path("shot.png"));
  }
  static bool same(const Image8& a, const Image8& b) {
    return a.width == b.width && a.height == b.height &&
           std::equal(a.pixels.span().begin(), a.pixels.span().end(), b.pixels.data());
  }
  /// Mean of the differences, in steps of 1/255. CHECKs that the sizes agree.
  static double difference(const Image8& a, const Image8& b) {
    CHECK(a.pixels.size() == b.pixels.size());
    double sum = 0;
    for (std::size_t i = 0; i < a.pixels.size(); ++i) sum += std::abs(a.pixels[i] - b.pixels[i]);
    return sum / static_cast<double>(a.pixels.size());
  }
  /// Opens the splats, which move for 2 s, and expects after a second another picture, that of the
  /// moment. Returns it.
  Image8 shown_after_a_second(const SplatCloud& cloud) {
    save_scene(cloud, path("moving.ply"));
    save_scene(moment_of(cloud, 1), path("moment.ply"));
    run("open {}/moving.ply\nwait loaded\nwait still\n");
    EXPECT_DOUBLE_EQ(session().clock.range().end_s, 2);
    const Image8 first = shot();
    act("time 1");
    Image8 later = shot();
    EXPECT_FALSE(same(first, later));
    EXPECT_LT(difference(later, expected(path("moment.ply"))), 0.1);
    return later;
  }
  void expect_refusal(const std::string& line, const std::string& phrase) {
    act("notices clear");
    act(line);
    EXPECT_EQ(errors(phrase), 1) << line;
  }
};

}  // namespace mote
