// Files with the edits of a project's scene.
#include "io/projects/edits_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "splats/splat_editor.h"
#include "support/files/file_bytes.h"
#include "support/random_cloud.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class EditsFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              (std::string("mote_edits_") + test->name() + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static SplatEdits sample(int sh_degree = 1) { return edited(random_cloud(150, sh_degree, 3)); }

  /// Some splats deleted, hidden, selected, moved and added.
  static SplatEdits edited(SplatCloud cloud) {
    SplatEditor editor(std::move(cloud));
    const auto pick = [&](std::size_t from, std::size_t to) {
      SplatMask mask(editor.cloud().count());
      for (std::size_t i = from; i < to; ++i) mask.set(i, true);
      editor.select(mask, MaskOperation::replace);
    };
    pick(0, 10);
    editor.delete_selected();
    pick(20, 25);
    editor.hide_selected();
    pick(40, 60);
    editor.transform_selected({.scale = 2});
    editor.duplicate_selected();
    pick(100, 170);
    return editor.edits();
  }

  fs::path file() const { return folder_ / "scene.edits"; }
  void write(const std::string& bytes) const {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << bytes;
  }

  fs::path folder_;
};

void expect_same(const SplatEdits& a, const SplatEdits& b) {
  EXPECT_EQ(a.selected, b.selected);
  EXPECT_EQ(a.hidden, b.hidden);
  EXPECT_EQ(a.deleted, b.deleted);
  EXPECT_EQ(a.changed, b.changed);
  EXPECT_EQ(a.values.antialiased, b.values.antialiased);
  ASSERT_EQ(a.values.count(), b.values.count());
  ASSERT_EQ(a.values.form(), b.values.form());
  EXPECT_EQ(a.values.times, b.values.times);
  for (std::size_t i = 0; i < a.values.count(); ++i) {
    for (const Field field : a.values.info().stored()) {
      EXPECT_EQ(a.values.at(i, field), b.values.at(i, field));
    }
    for (int k = 0; k < a.values.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) EXPECT_EQ(a.values.sh(i, k, c), b.values.sh(i, k, c));
    }
  }
}

TEST_F(EditsFile, HoldsEveryEdit) {
  for (int degree = 0; degree <= kMaxShDegree; ++degree) {
    SplatEdits edits = sample(degree);
    edits.values.antialiased = degree % 2 == 1;
    write_edits(edits, file());
    expect_same(read_edits(file()), edits);
  }
  write_edits({}, file());
  EXPECT_TRUE(read_edits(file()).empty());
}

TEST_F(EditsFile, EditsOfAMovingSceneAreKeptAndRestored) {
  for (const SplatMotion motion : {SplatMotion::life, SplatMotion::poly}) {
    const SplatEdits edits = edited(random_moving_cloud(150, 1, 3, motion));
    ASSERT_EQ(edits.values.motion(), motion);
    ASSERT_EQ(edits.values.times.duration_s, 2);
    write_edits(edits, file());
    const SplatEdits read = read_edits(file());
    expect_same(read, edits);
    SplatEditor restored(random_moving_cloud(150, 1, 3, motion)), original(restored.exported());
    restored.restore(read, {});
    original.restore(edits, {});
    const SplatCloud found = restored.exported(), expected = original.exported();
    ASSERT_EQ(found.count(), 160u);
    ASSERT_EQ(found.form(), expected.form());
    for (std::size_t i = 0; i < found.count(); ++i) {
      for (const Field field : found.info().stored()) {
        ASSERT_EQ(found.at(i, field), expected.at(i, field)) << i;
      }
    }
    // Added splats, which were scaled by 2 and then copied, have the motion of their originals.
    const SplatCloud before = random_moving_cloud(150, 1, 3, motion);
    EXPECT_EQ(found.at(145, Field::time_mean), before.at(45, Field::time_mean));
    EXPECT_NE(found.at(145, Field::velocity_x), before.at(45, Field::velocity_x));
  }
}

TEST_F(EditsFile, EveryMissingByteOfAMovingSceneIsNoticed) {
  write_edits(edited(random_moving_cloud(150, 1, 3)), file());
  const std::string whole = text_of(file());
  for (std::size_t i = 0; i < whole.size(); i += 53) {
    write(whole.substr(0, i));
    thrown_by([&] { read_edits(file()); });
  }
}

TEST_F(EditsFile, IsNamedByItsContent) {
  SplatEdits edits = sample();
  const std::uint64_t before = fingerprint_of(edits);
  EXPECT_EQ(fingerprint_of(sample()), before);
  edits.hidden.set(0, !edits.hidden.test(0));
  EXPECT_NE(fingerprint_of(edits), before);
}

TEST_F(EditsFile, EveryDamagedByteIsNoticed) {
  write_edits(sample(0), file());
  const std::string whole = text_of(file());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    write(damaged);
    const Error error = thrown_by([&] { read_edits(file()); });
    EXPECT_NE(error.where().find(file().string()), std::string::npos) << i;
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST_F(EditsFile, EveryMissingByteIsNoticed) {
  write_edits(sample(0), file());
  const std::string whole = text_of(file());
  for (std::size_t i = 0; i < whole.size(); i += 7) {
    write(whole.substr(0, i));
    thrown_by([&] { read_edits(file()); });
  }
  write(whole + "x");
  thrown_by([&] { read_edits(file()); });
}

TEST_F(EditsFile, HugeNumbersTakeNoMemory) {
  for (const std::uint64_t number : {~std::uint64_t{0}, std::uint64_t{1} << 32,
                                     (std::uint64_t{1} << 32) - 1, std::uint64_t{1} << 40}) {
    for (int which = 0; which < 3; ++which) {
      std::uint64_t numbers[3] = {10, 0, 0};
      numbers[which] = number;
      write("MOTEEDIT" + packed(std::uint32_t{1}, 0, 0, 0, numbers[0], numbers[1], numbers[2]));
      thrown_by([&] { read_edits(file()); });
    }
  }
}

}  // namespace
}  // namespace mote
