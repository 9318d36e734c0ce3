#include "present/pipeline_cache.h"

#include <unistd.h>

#include <filesystem>

#include "support/dataset_fixture.h"
#include "support/files/file_bytes.h"
#include "support/present_fixture.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using present::PipelineCache;

class PipelineCaches : public PresentTest {
 protected:
  void SetUp() override {
    PresentTest::SetUp();
    folder_ = fs::path(testing::TempDir()) / ("pipelines_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override {
    fs::remove_all(folder_);
    PresentTest::TearDown();
  }
  PipelineCache open() const { return PipelineCache(presenter_->device(), folder_ / "mote"); }

  fs::path folder_;
};

TEST_F(PipelineCaches, AreRestoredAsSaved) {
  PipelineCache first = open();
  EXPECT_FALSE(first.was_there());
  EXPECT_FALSE(fs::exists(folder_)) << "reading makes nothing";
  first.save();
  ASSERT_TRUE(fs::exists(first.file()));
  const std::string bytes = text_of(first.file());
  PipelineCache second = open();
  EXPECT_TRUE(second.was_there());
  second.save();
  EXPECT_EQ(text_of(second.file()), bytes);
  for (const auto& entry : fs::directory_iterator(folder_ / "mote")) {
    EXPECT_EQ(entry.path(), first.file()) << "nothing is left beside it";
  }
}

TEST_F(PipelineCaches, IgnoreADamagedTruncatedOrForeignFileAndRewriteIt) {
  PipelineCache good = open();
  good.save();
  const std::string bytes = text_of(good.file());
  std::vector<std::string> spoilt{"", "x", bytes + "x", bytes.substr(0, bytes.size() - 1),
                                  std::string(bytes.size(), 'y')};
  // The magic number, the device, the driver's format, the counts, and the data.
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    spoilt.push_back(bytes);
    spoilt.back()[at] = static_cast<char>(spoilt.back()[at] ^ 1);
  }
  for (const std::string& content : spoilt) {
    write_bytes(good.file(), content);
    PipelineCache cache = open();
    EXPECT_FALSE(cache.was_there());
    cache.save();
    EXPECT_EQ(text_of(good.file()).size(), bytes.size());
    EXPECT_TRUE(open().was_there());
  }
}

TEST_F(PipelineCaches, WorkWithoutAWritableFolder) {
  write_bytes(folder_, "a file where the folder should be");
  PipelineCache cache = open();
  EXPECT_FALSE(cache.was_there());
  EXPECT_NO_THROW(cache.save());
  PipelineCache none(presenter_->device(), {});
  EXPECT_TRUE(none.file().empty());
  EXPECT_NO_THROW(none.save());
}

TEST_F(PipelineCaches, AreSavedByAPresenterOnceItsPipelinesExist) {
  {
    present::Presenter presenter(
        present::PresenterOptions{.validation = true, .cache_folder = folder_ / "mote"});
    presenter.set_image(present::ImageSlot::first, random_picture(8, 8, 3, 1));
    presenter.capture({.view = {0, 0, 8, 8}, .display = {.exposure_ev = 1}}, 8, 8);
    EXPECT_EQ(presenter.validation().count(), 0);
  }
  EXPECT_TRUE(open().was_there());
}

}  // namespace
}  // namespace mote
