// Arrays of NumPy.
#include "io/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "core/error.h"
#include "support/dataset_fixture.h"
#include "support/files/file_bytes.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class Npy : public ::testing::Test {
 protected:
  Npy() : folder_(fs::path(::testing::TempDir()) / ("npy_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Npy() override { fs::remove_all(folder_); }

  /// A file of version 1 with this dictionary and these bytes.
  NpyArray read(const std::string& header, const std::string& bytes) const {
    const auto length = static_cast<std::uint16_t>(header.size());
    write_bytes(file(),
                "\x93NUMPY" + packed(std::uint8_t{1}, std::uint8_t{0}, length) + header + bytes);
    return read_npy(file());
  }
  static std::string header(const std::string& type, const std::string& shape,
                            const std::string& fortran = "False") {
    return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': (" + shape +
           "), }\n";
  }
  fs::path file() const { return folder_ / "array.npy"; }

  fs::path folder_;
};

TEST_F(Npy, ArraysComeBackAsWritten) {
  for (const NpyArray& array :
       {NpyArray{{2, 3}, {1, -2.5, 3e-300, 4, 5, 6}}, NpyArray{{3}, {7, 8, 9}}, NpyArray{{}, {5}},
        NpyArray{{4, 0}, {}}}) {
    write_npy(array, file());
    const NpyArray back = read_npy(file());
    EXPECT_EQ(back.shape, array.shape);
    EXPECT_EQ(back.values, array.values);
    EXPECT_EQ(fs::file_size(file()) % 8, 0u);
  }
}

TEST_F(Npy, AllTypesOfNumbersAreRead) {
  EXPECT_EQ(read(header("<f4", "2,"), packed(1.5f, -2.0f)).values, (std::vector<double>{1.5, -2}));
  EXPECT_EQ(read(header("<i2", "2,"), packed(std::int16_t{-3}, std::int16_t{4})).values,
            (std::vector<double>{-3, 4}));
  EXPECT_EQ(read(header("|u1", "2,"), packed(std::uint8_t{200}, std::uint8_t{1})).values,
            (std::vector<double>{200, 1}));
  EXPECT_EQ(read(header("|b1", "1,"), packed(std::uint8_t{1})).values, (std::vector<double>{1}));
  EXPECT_EQ(read(header("<i8", "1,"), packed(std::int64_t{-5})).values, (std::vector<double>{-5}));
  EXPECT_EQ(read(header("<u4", "1,"), packed(std::uint32_t{4000000000u})).values,
            (std::vector<double>{4e9}));
}

TEST_F(Npy, FortranOrderIsTurned) {
  const NpyArray array =
      read(header("<f4", "2, 3", "True"), packed(1.0f, 4.0f, 2.0f, 5.0f, 3.0f, 6.0f));
  EXPECT_EQ(array.shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(array.values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST_F(Npy, DamagedFilesAreRefusedByName) {
  const auto refusal = [&](const std::string& text, const std::string& bytes) {
    const Error error = thrown_by([&] { read(text, bytes); });
    EXPECT_NE(error.where().find("array.npy"), std::string::npos);
    EXPECT_FALSE(error.remedy().empty());
    return error.problem();
  };
  EXPECT_NE(refusal(header("<f8", "2, 2"), packed(1.0)).find("truncated"), std::string::npos);
  EXPECT_NE(refusal(header("<f8", "1000000, 1000000"), "").find("more than"), std::string::npos);
  EXPECT_NE(refusal(header("<f8", "18446744073709551615, 3"), "").find("more than"),
            std::string::npos);
  EXPECT_NE(refusal(header("<c16", "1,"), "").find("<c16"), std::string::npos);
  EXPECT_NE(refusal(header(">f8", "1,"), packed(1.0)).find(">f8"), std::string::npos);
  EXPECT_NE(refusal(header("<f8", "x"), packed(1.0)).find("shape"), std::string::npos);
  EXPECT_NE(refusal("{'descr': '<f8'}", "").find("fortran_order"), std::string::npos);
  write_bytes(file(), "PK\x03\x04");
  EXPECT_NE(thrown_by([&] { read_npy(file()); }).problem().find("no .npy"), std::string::npos);
}

}  // namespace
}  // namespace mote
