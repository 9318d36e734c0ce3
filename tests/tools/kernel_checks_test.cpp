// The tables of CUDA kernels in docs/registers.md and docs/field_counts.md are complete, and the
// checks of their machine code in tools/kernels/ find what they look for.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <utility>

#include "support/files/file_bytes.h"

namespace mote {
namespace {

using FileAndKernel = std::set<std::pair<std::string, std::string>>;

FileAndKernel matches_of(const std::string& text, const std::regex& pattern,
                         const std::string& file = "") {
  FileAndKernel found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    found.insert(file.empty() ? std::pair{at->str(1), at->str(2)} : std::pair{file, at->str(1)});
  }
  return found;
}

/// The kernels of the sources in a folder, and in those below it.
FileAndKernel kernels_of(const std::filesystem::path& folder) {
  FileAndKernel kernels;
  // The launch bounds of a template may contain commas and parentheses.
  const std::regex definition(R"(MOTE_KERNEL\([^\n]*\)\s+(\w+)\()");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cu") continue;
    const std::string text = text_of(entry.path());
    const FileAndKernel found = matches_of(text, definition, entry.path().filename().string());
    // Some files only launch the kernels of others.
    EXPECT_EQ(found.empty(), text.find("MOTE_KERNEL") == std::string::npos) << entry.path();
    kernels.insert(found.begin(), found.end());
  }
  return kernels;
}

/// A row of a table: a file and one of its kernels.
const char* const kRow = R"(\| `(\w+\.cu)` \| `(\w+))";

TEST(KernelTable, HasExactlyTheKernelsOfTheSources) {
  const std::filesystem::path source = MOTE_SOURCE_FOLDER;
  EXPECT_EQ(matches_of(text_of(source / "docs/registers.md"), std::regex(kRow)),
            kernels_of(source / "cuda/kernels"))
      << "tools/kernels/registers.sh makes the table anew";
}

TEST(KernelTable, HasCountsOfExactlyTheKernelsOfFields) {
  const std::filesystem::path source = MOTE_SOURCE_FOLDER;
  FileAndKernel kernels = kernels_of(source / "cuda/kernels/fields");
  // The way of splats into a field and out of it.
  for (const auto& own : kernels_of(source / "cuda/kernels")) {
    if (own.first == "displacement.cu") kernels.insert(own);
  }
  EXPECT_EQ(matches_of(text_of(source / "docs/field_counts.md"), std::regex(kRow)), kernels)
      << "the table \"Every kernel\" needs a row for each";
}

/// Runs scripts of tools/kernels/ on a folder with only one kernel.
class KernelCheck : public testing::Test {
 protected:
  void SetUp() override {
    // NOLINTNEXTLINE(cert-env33-c)
    if (std::system("PATH=$PATH:/usr/local/cuda/bin command -v nvcc >/dev/null") != 0) {
      GTEST_SKIP() << "there is no nvcc";
    }
    std::filesystem::create_directories(folder_ / "cuda/kernels");
    std::filesystem::create_directories(folder_ / "renderer/lanes");
    std::filesystem::create_directories(folder_ / "tools");
    std::filesystem::copy(std::filesystem::path(MOTE_SOURCE_FOLDER) / "tools/kernels",
                          folder_ / "tools/kernels");
  }
  ~KernelCheck() override { std::filesystem::remove_all(folder_); }

  void write(const char* file, const std::string& text) const {
    std::ofstream(folder_ / file) << text;
  }
  void write_kernel(const std::string& text) const { write("cuda/kernels/kernel.cu", text); }

  int exit_code_of(const std::string& script_and_options) const {
    const std::string command = fmt::format("'{}/tools/kernels/'{} >'{}' 2>&1", folder_.string(),
                                            script_and_options, (folder_ / "out").string());
    const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): it runs a script
    return WEXITSTATUS(status);
  }
  std::string out() const { return text_of(folder_ / "out"); }
  bool says(const char* text) const { return out().find(text) != std::string::npos; }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("mote_kernel_check_{}", ::getpid());
};

TEST_F(KernelCheck, FindsLocalMemory) {
  write_kernel("__global__ void plain(float* to) { to[threadIdx.x] = 1; }\n");
  EXPECT_EQ(exit_code_of("registers.sh --check 90"), 0);
  EXPECT_TRUE(says("no kernel spills or uses local memory (1 kernels, sm_90)")) << out();
  write_kernel(
      "__global__ void indexed(float* to, const int* order) {\n"
      "  float values[32];\n"
      "  for (int i = 0; i < 32; ++i) values[order[i]] = to[i];\n"
      "  for (int i = 0; i < 32; ++i) to[i] = values[order[31 - i]];\n"
      "}\n");
  EXPECT_EQ(exit_code_of("registers.sh --check 90"), 1);
  EXPECT_TRUE(says("kernel.cu, indexed")) << out();
  EXPECT_TRUE(says("sm_90: 0 bytes spilled, 128 bytes of local memory")) << out();
}

/// A header of this form, whose operations are pinned or not. None of its lines may have the number
/// of a kernel's line: ptxas 13.0 leaves out a change of file without a change of line.
std::string pinned_header(const char* product, const char* sum) {
  return fmt::format(
      "#pragma once\n\n\n\n\n\n"
      "__device__ inline float times(float a, float b) {{\n"
      "  return {};  // __fmul_rn\n"
      "}}\n"
      "__device__ inline float plus(float a, float b) {{\n"
      "  return {};  // __fadd_rn\n"
      "}}\n",
      product, sum);
}

TEST_F(KernelCheck, FindsFusedOperations) {
  write_kernel(
      "#include \"lanes/pinned.h\"\n"
      "__global__ void polynomial(float* x) {\n"
      "  x[threadIdx.x] = plus(times(x[threadIdx.x], x[32]), x[33]);\n"
      "}\n");
  for (const char* architecture : {"75", "90", "120"}) {
    SCOPED_TRACE(architecture);
    write("renderer/lanes/pinned.h", pinned_header("__fmul_rn(a, b)", "__fadd_rn(a, b)"));
    EXPECT_EQ(exit_code_of(fmt::format("pinned.sh {}", architecture)), 0) << out();
    EXPECT_TRUE(says("is fused, in any of 1 kernels")) << out();
    write("renderer/lanes/pinned.h", pinned_header("a * b", "a + b"));
    EXPECT_EQ(exit_code_of(fmt::format("pinned.sh {}", architecture)), 1) << out();
    EXPECT_TRUE(says("kernel.cu, polynomial")) << out();
  }
}

TEST_F(KernelCheck, FindsALoopWithMoreClocksThanBefore) {
  const auto kernel = [](const char* work) {
    return fmt::format(
        "__global__ void sum(float* x, int n) {{\n"
        "  float sum = 0;\n"
        "  #pragma unroll 1\n"
        "  for (int i = 0; i < n; ++i) sum += {};\n"
        "  x[threadIdx.x] = sum;\n"
        "}}\n",
        work);
  };
  write_kernel(kernel("x[i]"));
  ASSERT_EQ(exit_code_of("loops.sh --write"), 0) << out();
  EXPECT_EQ(exit_code_of("loops.sh --check"), 0) << out();
  EXPECT_TRUE(says("no loop of 1 kernels takes more clocks")) << out();
  write_kernel(kernel("exp2f(x[i]) + sqrtf(x[i])"));
  EXPECT_EQ(exit_code_of("loops.sh --check"), 1);
  EXPECT_TRUE(says("loops: kernel.cu sum(float*, int), loop 1: ")) << out();
  write_kernel(kernel("x[i]") + "__global__ void more(int* x) { *x = 0; }\n");
  EXPECT_EQ(exit_code_of("loops.sh --check"), 1);
  EXPECT_TRUE(says("kernel.cu more(int*) is not in tools/kernels/loop_clocks.txt")) << out();
}

}  // namespace
}  // namespace mote
