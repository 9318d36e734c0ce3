// Scenes that are streamed from a file: the picture of the whole scene at every time, with a fixed
// amount of memory.
#include "model/moving/streamed_splats.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "core/parallel.h"
#include "devices/devices.h"
#include "io/splats/scene_format.h"
#include "model/still_splats.h"
#include "support/files/file_bytes.h"
#include "support/files/fourdgs_samples.h"
#include "support/reference/render_checks.h"
#include "support/thrown_by.h"
#include "synth/swarm.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class StreamedScene : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    ThreadPool pool(2);
    const synth::SwarmPlan plan{.splats = 40000, .duration_s = 40, .static_share = 0.05};
    save_scene(synth::make_swarm(plan, pool, [](double) {}), path());
    stream_ = std::make_shared<const SplatStream>(path());
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path path() const { return folder_ / "scene.4dgs"; }
  std::unique_ptr<StreamedSplats> streamed(std::size_t pages) const {
    return std::make_unique<StreamedSplats>(*backend_, stream_, pages, SceneExtent{});
  }
  std::size_t least_pages() const { return PagePlan(stream_->parts()).most_pages(0); }
  static View view_at(double time_s) { return {.camera = camera_at(6, 120, 90), .time_s = time_s}; }
  static Image picture(Drawable& model, double time_s, FrameStats* stats = nullptr) {
    Frame frame;
    const FrameStats found = model.render(view_at(time_s), {}, frame);
    if (stats != nullptr) *stats = found;
    return std::move(frame.rgb);
  }
  static bool equal(const Image& a, const Image& b) {
    return std::ranges::equal(a.pixels.span(), b.pixels.span());
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("streamed_" + std::to_string(::getpid()));
  std::unique_ptr<Backend> backend_ = make_backend("cpu", {.threads = 2, .isa = {}, .index = {}});
  std::shared_ptr<const SplatStream> stream_;
};

TEST_F(StreamedScene, ShowsThePictureOfTheWholeSceneAtEveryTime) {
  StillSplats whole(*backend_, load_scene(path()), {});
  ASSERT_GT(stream_->parts().size(), 50u);
  ASSERT_LT(least_pages(), PagePlan(stream_->parts()).all_pages() / 3);
  const auto model = streamed(least_pages());
  // Forwards, backwards, jumps, both ends, and the times at which parts begin and end.
  std::vector<double> times{0, 0.1, 0.2, 0.3, 5, 4.9, 4.8, 31, 2, 39.9, 40, 0, 17.3};
  for (std::size_t i = 0; i < stream_->parts().size(); i += 29) {
    const LifeRange& seen = stream_->parts()[i].seen;
    for (const double time_s : {seen.from_s, seen.to_s}) {
      times.push_back(std::clamp(time_s, 0.0, 40.0));
    }
  }
  for (const double time_s : times) {
    FrameStats stats;
    const Image found = picture(*model, time_s, &stats);
    EXPECT_TRUE(equal(found, picture(whole, time_s))) << time_s << " s";
    EXPECT_EQ(stats.missing, 0u);
    EXPECT_EQ(stats.stored, 40000u);
    EXPECT_LE(stats.needed, stats.resident);
    EXPECT_LE(stats.resident, least_pages() * kPageSplats);
    EXPECT_GT(stats.visible, 100u);
  }
}

TEST_F(StreamedScene, HasTrailsOfThePartsOnTheDevice) {
  const auto trails = std::make_shared<PartTrails>();
  StreamedSplats model(*backend_, stream_, least_pages(), SceneExtent{}, {}, trails);
  picture(model, 20);
  const std::size_t count = trails->at(20, 0.5)->size();
  EXPECT_GT(count, 10u);
  for (const double time_s : {1.0, 9.0, 31.0, 39.0}) {
    picture(model, time_s);
    EXPECT_GT(trails->at(time_s, 0.5)->size(), 10u) << time_s;
  }
  EXPECT_LT(trails->at(20, 0.5)->size(), count);
}

TEST_F(StreamedScene, ReadsTheSplatsOfTheWholeSceneInItsOrder) {
  const SplatCloud whole = load_scene(path());
  ASSERT_EQ(whole.count(), stream_->count());
  for (std::size_t part = 0; part < stream_->parts().size(); ++part) {
    const SplatCloud own = stream_->read(part);
    const std::size_t first = stream_->parts()[part].first;
    ASSERT_EQ(own.form(), whole.form());
    for (std::size_t i = 0; i < own.count(); ++i) {
      for (const Field field : own.info().stored()) {
        ASSERT_EQ(own.at(i, field), whole.at(first + i, field));
      }
      ASSERT_EQ(own.sh(i, 0, 1), whole.sh(first + i, 0, 1));
    }
  }
}

TEST_F(StreamedScene, FilesHaveTheirPartsInTheOrderInWhichTheyAreDrawn) {
  ASSERT_TRUE(stream_->is_in_drawn_order());
  ThreadPool pool{CallerOnly{}};
  double in_file = 0, sorted = 0;
  const auto sizes = [](const DrawableSplats& splats) {
    double sum = 0;
    for (const BlockLife& life : splats.lives()) {
      if (std::isfinite(life.to_s - life.from_s)) sum += double{life.to_s} - double{life.from_s};
    }
    for (const Cluster& cluster : splats.clusters()) {
      sum += double{cluster.half[0]} + double{cluster.half[2]};
    }
    return sum;
  };
  for (std::size_t part = 0; part < stream_->parts().size(); ++part) {
    const DrawableSplats kept(stream_->read(part), pool, SplatOrder::of_cloud);
    for (std::uint32_t i = 0; i < kept.count(); ++i) ASSERT_EQ(kept.index()[i], i);
    in_file += sizes(kept);
    sorted += sizes(DrawableSplats(stream_->read(part), pool));
  }
  EXPECT_LT(in_file, 1.25 * sorted);
}

TEST_F(StreamedScene, WithoutPatienceShowsWhatIsThereAndCountsTheRest) {
  const auto model = streamed(least_pages());
  model->set_patience(0);
  FrameStats stats;
  picture(*model, 20, &stats);
  EXPECT_GT(stats.missing, 0u);
  EXPECT_LT(stats.visible, stats.needed);
  model->set_patience(1000);
  StillSplats whole(*backend_, load_scene(path()), {});
  EXPECT_TRUE(equal(picture(*model, 20, &stats), picture(whole, 20)));
  EXPECT_EQ(stats.missing, 0u);
}

TEST_F(StreamedScene, ReadingLeavesTheThreadsOfDrawing) {
  const auto allowed = [] {
    return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  };
  const std::size_t before = allowed();
  std::atomic<bool> read = false, fewer = false;
  const StreamedSplats::PartEdit look = [&](SplatCloud&) {
    read = true;
    if (allowed() < before) fewer = true;
  };
  StreamedSplats model(*backend_, stream_, least_pages(), SceneExtent{}, look);
  picture(model, 20);
  EXPECT_TRUE(read);
  EXPECT_FALSE(fewer);
}

TEST_F(StreamedScene, CountsTheWorkThatAViewWaitedFor) {
  const PagePlan plan(stream_->parts());
  std::vector<std::uint32_t> needed;
  plan.needed_at(20, needed);
  const auto model = streamed(least_pages());
  FrameStats stats;
  picture(*model, 20, &stats);
  const StreamWork first = stats.streaming;
  EXPECT_EQ(first.parts, needed.size());
  EXPECT_EQ(first.splats, stats.needed);
  EXPECT_GT(first.bytes, first.splats);
  EXPECT_LT(first.bytes, fs::file_size(path()));
  EXPECT_GE(first.wait_ms, first.fill_ms);
  for (const double ms : {first.fill_ms, first.read_ms, first.decode_ms, first.prepare_ms}) {
    EXPECT_GT(ms, 0);
  }
  // All is there already.
  picture(*model, 20, &stats);
  EXPECT_EQ(stats.streaming.parts, 0u);
  EXPECT_EQ(stats.streaming.bytes, 0u);
  EXPECT_EQ(stats.streaming.decode_ms, 0);
  // The parts that are always seen stay.
  picture(*model, 5, &stats);
  EXPECT_GT(stats.streaming.splats, 0u);
  EXPECT_LT(stats.streaming.splats, stats.needed);
}

TEST_F(StreamedScene, ReadsAheadInTheDirectionOfTime) {
  const PagePlan plan(stream_->parts());
  for (const bool backwards : {false, true}) {
    const auto model = streamed(plan.most_pages(4));
    const double step_s = backwards ? -0.1 : 0.1;
    picture(*model, 20 - step_s);
    picture(*model, 20);
    // The next parts come while the view rests, until the pages are full.
    model->set_patience(0);
    FrameStats stats;
    std::uint64_t resident = 0;
    for (int same = 0; same < 20; ++same) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      picture(*model, 20, &stats);
      if (stats.resident != resident) same = 0;
      resident = stats.resident;
    }
    EXPECT_GT(resident, stats.needed);
    std::size_t stalls = 0;
    for (int i = 1; i <= 10; ++i) {
      picture(*model, 20 + i * step_s, &stats);
      stalls += stats.missing > 0;
    }
    EXPECT_EQ(stalls, 0u) << (backwards ? "backwards" : "forwards");
  }
}

TEST_F(StreamedScene, StreamsOnlyWhatDoesNotFit) {
  EXPECT_EQ(streamed_if_large(path(), 1'000'000'000), nullptr);
  const std::uint64_t whole = stream_->count() * stream_->form().floats() * sizeof(float);
  const auto host = streamed_if_large(path(), whole - 1);
  ASSERT_NE(host, nullptr);
  EXPECT_EQ(host->count(), 40000u);
  EXPECT_LT(host->memory_bytes(), whole);
  EXPECT_EQ(host->time_range().end_s, 40);
  EXPECT_GT(host->extent().radius, 1);
  const auto model = host->upload(*backend_, host->extent());
  EXPECT_NE(model->description().find("streamed"), std::string::npos);
  const Error little = thrown_by([&] { streamed_if_large(path(), 1000); });
  EXPECT_NE(std::string(little.what()).find("a moment needs"), std::string::npos) << little.what();
  EXPECT_NE(little.remedy().find("--memory"), std::string::npos) << little.remedy();
  thrown_by([&] { host->write(folder_ / "copy.4dgs"); });
}

TEST_F(StreamedScene, RefusesADamagedPartWhenItIsNeeded) {
  // Damages the content of a chunk in the middle of the file, not its head.
  const auto& parts = stream_->parts();
  const std::size_t size = fs::file_size(path());
  std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(size / 2));
  file << std::string(200, '\x55');
  file.close();
  const auto model = streamed(PagePlan(parts).all_pages());
  const Error error = thrown_by([&] {
    for (double time_s = 0; time_s <= 40; time_s += 0.25) picture(*model, time_s);
  });
  EXPECT_NE(error.where().find("scene.4dgs"), std::string::npos) << error.what();
}

TEST_F(StreamedScene, RefusesNumbersOfLivesThatDoNotFit) {
  const std::string whole = text_of(path());
  const std::size_t value = whole.find("mote_lives") + 14;  // behind the name and a length
  const auto changed = [&](std::size_t place, char to) {
    std::string bytes = whole;
    bytes.at(place) = to;
    std::ofstream(folder_ / "other.4dgs", std::ios::binary) << bytes;
    return folder_ / "other.4dgs";
  };
  const Error cut = thrown_by([&] { SplatStream(changed(whole.find(',', value), 'x')); });
  EXPECT_NE(std::string(cut.what()).find("mote_lives"), std::string::npos) << cut.what();
  const SplatStream fewer(changed(value, static_cast<char>(whole[value] - 1)));
  const Error other = thrown_by([&] { fewer.read(0); });
  EXPECT_NE(std::string(other.what()).find("mote_lives says"), std::string::npos) << other.what();
  thrown_by([&] { SplatStream(changed(value, '9')); });
}

TEST_F(StreamedScene, FilesWhoseLivesMayBeDividedAreNotStreamed) {
  const fs::path other = folder_ / "other.4dgs";
  fourdgs::write_sample(fourdgs::random_splats(300, 0, 3), 0, other);
  EXPECT_EQ(streamed_if_large(other, 1), nullptr);
  const Error error = thrown_by([&] { SplatStream{other}; });
  EXPECT_EQ(error.remedy(), "write it again with mote convert");
}

TEST(PagePlans, FindTheMostPagesOfAnyInterval) {
  const std::vector<SplatStream::Part> parts{{{0, 10}, 300, 0},
                                             {{0, 2}, 256, 300},
                                             {{1, 3}, 1, 556},
                                             {{4, 6}, 512, 557},
                                             {{5, 9}, 1, 900}};
  const PagePlan plan(parts);
  EXPECT_EQ(plan.pages(0), 2u);
  EXPECT_EQ(plan.all_pages(), 2u + 1 + 1 + 2 + 1);
  EXPECT_EQ(plan.most_pages(0), 5u);  // parts 0, 3 and 4
  EXPECT_EQ(plan.most_pages(2), 6u);  // with part 2, from 3 to 5
  EXPECT_EQ(plan.most_pages(100), plan.all_pages());
  std::vector<std::uint32_t> needed;
  plan.needed_at(5, needed);
  EXPECT_EQ(needed, (std::vector<std::uint32_t>{0, 3, 4}));
  const auto order = [&](double time_s, bool backwards) {
    const PagePlan::Order found = plan.order_from(time_s, backwards);
    std::vector<std::uint32_t> list;
    for (std::size_t i = 0; i < found.size(); ++i) list.push_back(found[i]);
    return list;
  };
  EXPECT_EQ(order(2.5, false), (std::vector<std::uint32_t>{3, 4, 0, 1, 2}));
  EXPECT_EQ(order(4.5, true), (std::vector<std::uint32_t>{2, 1, 0, 4, 3}));
}

}  // namespace
}  // namespace mote
