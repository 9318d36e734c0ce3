// Checkpoint files: a saved state is restored, and damage anywhere is detected.
#include "train/run/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <numeric>

#include "core/error.h"
#include "core/file.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class Checkpoint : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) /
              (std::string("mote_checkpoint_") + test->name() + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static CheckpointTag tag(std::uint64_t step) {
    return {.step = step, .dataset = 77, .pixels = 5, .layout = "mote 1, CPU"};
  }
  /// Values that identify their step.
  static std::vector<std::uint32_t> payload(std::uint64_t step) {
    std::vector<std::uint32_t> values(1000);
    std::iota(values.begin(), values.end(), static_cast<std::uint32_t>(step) * 10000);
    return values;
  }
  fs::path write(std::uint64_t step) const {
    return write_checkpoint(folder_, tag(step), [&](ByteSink& sink) {
      sink.put_all(std::span<const std::uint32_t>(payload(step)));
    });
  }
  static std::vector<std::uint32_t> read(const fs::path& path) {
    std::vector<std::uint32_t> values;
    read_checkpoint(path, [&](ByteSource& source) {
      values.resize(source.get<unsigned long long>());
      source.read(std::as_writable_bytes(std::span(values)));
    });
    return values;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  static void spoil(const fs::path& path, std::uint64_t offset) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(static_cast<char>(byte ^ 0x10));
  }

  fs::path folder_;
};

TEST_F(Checkpoint, RestoresTheSavedStateAndIsNamedByItsStep) {
  const fs::path path = write(1000);
  EXPECT_EQ(path.filename(), "ckpt_000001000.bin");
  const auto found = newest_checkpoint(folder_, tag(0));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, path);
  EXPECT_EQ(found->step, 1000u);
  EXPECT_TRUE(found->passed_over.empty());
  EXPECT_EQ(read(path), payload(1000));
}

TEST_F(Checkpoint, AnEmptyOrMissingFolderHasNone) {
  EXPECT_FALSE(newest_checkpoint(folder_, tag(0)));
  EXPECT_FALSE(newest_checkpoint(folder_ / "none", tag(0)));
  std::ofstream(folder_ / "ckpt_000000010.bin.partial-123") << "half";
  std::ofstream(folder_ / "notes.txt") << "mine";
  EXPECT_FALSE(newest_checkpoint(folder_, tag(0)));
}

TEST_F(Checkpoint, OnlyTheTwoNewestStay) {
  for (const std::uint64_t step : {100ull, 200ull, 300ull, 1000000000ull}) write(step);
  EXPECT_EQ(files(), (std::vector<std::string>{"ckpt_000000300.bin", "ckpt_1000000000.bin"}));
  EXPECT_EQ(newest_checkpoint(folder_, tag(0))->step, 1000000000u);
}

TEST_F(Checkpoint, AFlippedBitAnywhereIsDetectedAndTheOneBeforeUsed) {
  write(100);
  const std::uint64_t size = fs::file_size(write(200));
  std::vector<std::uint64_t> places{0, 7, 8, 12, 16, 24, 32, 39, 40, 103, 104, 110};
  for (std::uint64_t at = 200; at < size; at += 397) places.push_back(at);
  for (std::uint64_t back = 1; back <= 4; ++back) places.push_back(size - back);
  for (const std::uint64_t place : places) {
    const fs::path newest = write(200);
    spoil(newest, place);
    const auto found = newest_checkpoint(folder_, tag(0));
    ASSERT_TRUE(found) << place;
    EXPECT_EQ(found->step, 100u) << place;
    ASSERT_EQ(found->passed_over.size(), 1u) << place;
    EXPECT_NE(found->passed_over[0].find("ckpt_000000200.bin"), std::string::npos);
    EXPECT_EQ(read(found->path), payload(100));
  }
}

TEST_F(Checkpoint, AnyChangeOfLengthIsDetected) {
  write(100);
  const std::uint64_t size = fs::file_size(write(200));
  for (const std::uint64_t kept :
       {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{103}, std::uint64_t{107},
        std::uint64_t{108}, size / 2, size - 1, size + 1, size + 4096}) {
    fs::resize_file(write(200), kept);
    const auto found = newest_checkpoint(folder_, tag(0));
    ASSERT_TRUE(found) << kept;
    EXPECT_EQ(found->step, 100u) << kept;
  }
}

TEST_F(Checkpoint, IfAllAreDamagedTheErrorNamesThem) {
  spoil(write(100), 500);
  spoil(write(200), 20);
  try {
    newest_checkpoint(folder_, tag(0));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    const std::string text = error.what();
    for (const char* phrase : {"ckpt_000000100.bin", "ckpt_000000200.bin", "checksum", "-y"}) {
      EXPECT_NE(text.find(phrase), std::string::npos) << phrase << " in " << text;
    }
  }
}

TEST_F(Checkpoint, AnotherProgramOrDatasetIsRefusedButNotCalledDamaged) {
  write(100);
  write(200);
  CheckpointTag other = tag(0);
  other.layout = "mote 2, CPU";
  EXPECT_THROW(newest_checkpoint(folder_, other), Error);
  other = tag(0);
  other.dataset = 78;
  try {
    newest_checkpoint(folder_, other);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("other photographs"), std::string::npos);
  }
  other = tag(0);
  other.pixels = 6;
  try {
    newest_checkpoint(folder_, other);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("other pixels"), std::string::npos);
  }
}

TEST_F(Checkpoint, ASkippedDamagedOneIsRemovedWithTheNextSave) {
  write(100);
  spoil(write(200), 300);
  write(150);
  EXPECT_EQ(files(), (std::vector<std::string>{"ckpt_000000100.bin", "ckpt_000000150.bin"}));
}

TEST_F(Checkpoint, AFailedWriteLeavesTheOthersUnchanged) {
  write(100);
  write(200);
  EXPECT_THROW(write_checkpoint(folder_, tag(300),
                                [](ByteSink& sink) {
                                  sink.put(1);
                                  throw Error("no", "more", "today");
                                }),
               Error);
  EXPECT_EQ(files(), (std::vector<std::string>{"ckpt_000000100.bin", "ckpt_000000200.bin"}));
  EXPECT_THROW(write_checkpoint(folder_ / "ckpt_000000200.bin", tag(300), [](ByteSink&) {}), Error);
  EXPECT_EQ(newest_checkpoint(folder_, tag(0))->step, 200u);
}

TEST_F(Checkpoint, AFullDiskLeavesTheOthersUnchanged) {
  write(100);
  write(200);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 2000;  // bytes; the file has twice as many
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write(300), Error);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(files(), (std::vector<std::string>{"ckpt_000000100.bin", "ckpt_000000200.bin"}));
  EXPECT_EQ(read(newest_checkpoint(folder_, tag(0))->path), payload(200));
}

TEST_F(Checkpoint, ReadingTooMuchOrTooLittleIsRefused) {
  const fs::path path = write(100);
  EXPECT_THROW(read_checkpoint(path,
                               [](ByteSource& source) {
                                 std::vector<std::byte> all(source.left() + 1);
                                 source.read(all);
                               }),
               Error);
  EXPECT_THROW(read_checkpoint(path, [](ByteSource& source) { source.get<int>(); }), Error);
}

TEST_F(Checkpoint, LargePayloadsCanBeReadInAnyPieces) {
  std::vector<std::byte> bytes(5'000'001);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  const fs::path path =
      write_checkpoint(folder_, tag(1), [&](ByteSink& sink) { sink.write(bytes); });
  ASSERT_TRUE(newest_checkpoint(folder_, tag(0)));
  std::vector<std::byte> got(bytes.size());
  read_checkpoint(path, [&](ByteSource& source) {
    EXPECT_EQ(source.left(), bytes.size());
    std::size_t at = 0;
    for (std::size_t piece = 1; at < got.size(); piece = piece * 3 + 1) {
      const std::size_t part = std::min(piece, got.size() - at);
      source.read(std::span(got).subspan(at, part));
      at += part;
      EXPECT_EQ(source.left(), got.size() - at);
    }
  });
  EXPECT_EQ(got, bytes);
}

}  // namespace
}  // namespace mote
