// Calibrations in OpenCV's YAML.
#include "io/opencv_yaml.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "core/error.h"
#include "support/dataset_fixture.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class Yaml : public ::testing::Test {
 protected:
  Yaml()
      : file_(fs::path(::testing::TempDir()) / ("yaml_" + std::to_string(::getpid()) + ".yml")) {}
  ~Yaml() override { fs::remove(file_); }
  OpencvYaml read(const std::string& text) const {
    write_bytes(file_, text);
    return OpencvYaml(file_);
  }
  Error refusal(const std::string& text) const {
    return thrown_by([&] { read(text); });
  }

  fs::path file_;
};

// The form of cv::FileStorage, with its line breaks within long lists.
constexpr const char* kCalibration = R"(%YAML:1.0
---
names:
   - "00"
   - "01"
K_00: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 1.2345678901234567e+03, 0., 6.40e+02, 0., 1234., 360.,
       0., 0., 1. ]
H_00: 720.
# a comment
t_00: -1
other:
   deep: 5
   deeper:
      - 1
sizes: [ 3, 4 ]
n_00: 1.0000000000000000e-02
)";

TEST_F(Yaml, ListsMatricesAndNumbersAreRead) {
  const OpencvYaml file = read(kCalibration);
  EXPECT_EQ(file.texts("names"), (std::vector<std::string>{"00", "01"}));
  EXPECT_EQ(file.numbers("K_00", 9),
            (std::vector<double>{1234.5678901234567, 0, 640, 0, 1234, 360, 0, 0, 1}));
  EXPECT_EQ(file.number("H_00"), 720);
  EXPECT_EQ(file.number("t_00"), -1);
  EXPECT_EQ(file.number("n_00"), 0.01);
  EXPECT_EQ(file.numbers("sizes", 2), (std::vector<double>{3, 4}));
  EXPECT_FALSE(file.number("W_00").has_value());
  EXPECT_FALSE(file.has("deep"));
  EXPECT_TRUE(file.numbers("K_01", 9).empty());
}

TEST_F(Yaml, ListsMayBeginAtTheLeftEdge) {
  EXPECT_EQ(read("%YAML:1.0\nnames:\n- 'a'\n- b\nx: 1\n").texts("names"),
            (std::vector<std::string>{"a", "b"}));
}

TEST_F(Yaml, WrongValuesNameFileLineAndKey) {
  const OpencvYaml file = read("a: [1, x]\nb: .Nan\nc: [1, 2, 3]\n");
  EXPECT_NE(thrown_by([&] { file.numbers("a", 2); }).where().find("line 1, a"), std::string::npos);
  EXPECT_NE(thrown_by([&] { file.number("b"); }).where().find("line 2, b"), std::string::npos);
  const Error error = thrown_by([&] { file.numbers("c", 9); });
  EXPECT_NE(error.problem().find("expected 9 numbers, found 3"), std::string::npos);
}

TEST_F(Yaml, DamagedFilesAreRefusedWithTheirLine) {
  EXPECT_NE(refusal("names\n").where().find("line 1"), std::string::npos);
  EXPECT_NE(refusal("a: [1, 2\n").problem().find("does not end"), std::string::npos);
  const Error error = refusal("x: 1\nK: !!opencv-matrix\n  rows: 2\n  cols: 2\n  data: [1, 2]\n");
  EXPECT_NE(error.problem().find("2 rows and 2 columns has 2 numbers"), std::string::npos);
  EXPECT_NE(refusal("K: !!opencv-matrix\n  rows: 1e9\n").problem().find("whole number"),
            std::string::npos);
  EXPECT_NE(refusal("K: !!opencv-matrix\n").problem().find("has 0 numbers"), std::string::npos);
}

}  // namespace
}  // namespace mote
