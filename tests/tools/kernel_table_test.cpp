// The table of compiled CUDA kernels in docs/performance.md is complete, and the check of kernels
// for spills and local memory finds them.
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

TEST(KernelTable, HasExactlyTheKernelsOfTheSources) {
  const std::filesystem::path source = MOTE_SOURCE_FOLDER;
  FileAndKernel kernels;
  // The launch bounds of a template may contain commas and parentheses.
  const std::regex definition(R"(MOTE_KERNEL\([^\n]*\)\s+(\w+)\()");
  for (const auto& entry : std::filesystem::directory_iterator(source / "cuda/kernels")) {
    if (entry.path().extension() != ".cu") continue;
    const FileAndKernel found =
        matches_of(text_of(entry.path()), definition, entry.path().filename().string());
    EXPECT_FALSE(found.empty()) << entry.path();
    kernels.insert(found.begin(), found.end());
  }
  const std::regex row(R"(\| `(\w+\.cu)` \| `(\w+))");
  EXPECT_EQ(matches_of(text_of(source / "docs/performance.md"), row), kernels)
      << "tools/kernel_table.sh makes the table anew";
}

/// Runs tools/kernel_table.sh on a folder with only this kernel.
class KernelCheck : public testing::Test {
 protected:
  KernelCheck() {
    std::filesystem::create_directories(folder_ / "tools");
    std::filesystem::create_directories(folder_ / "cuda/kernels");
    std::filesystem::copy_file(std::filesystem::path(MOTE_SOURCE_FOLDER) / "tools/kernel_table.sh",
                               folder_ / "tools/kernel_table.sh");
  }
  ~KernelCheck() override { std::filesystem::remove_all(folder_); }

  int exit_code_for(const std::string& kernel) const {
    std::ofstream(folder_ / "cuda/kernels/kernel.cu") << kernel;
    const std::string command =
        fmt::format("'{}' --check 90 >'{}'", (folder_ / "tools/kernel_table.sh").string(),
                    (folder_ / "out").string());
    const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): it runs a script
    return WEXITSTATUS(status);
  }
  std::string out() const { return text_of(folder_ / "out"); }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("mote_kernel_check_{}", ::getpid());
};

TEST_F(KernelCheck, FindsLocalMemory) {
  if (std::system("PATH=$PATH:/usr/local/cuda/bin command -v nvcc >/dev/null") !=
      0) {  // NOLINT(cert-env33-c)
    GTEST_SKIP() << "there is no nvcc";
  }
  EXPECT_EQ(exit_code_for("__global__ void plain(float* to) { to[threadIdx.x] = 1; }\n"), 0);
  EXPECT_NE(out().find("no kernel spills or uses local memory (1 kernels, sm_90)"),
            std::string::npos);
  EXPECT_EQ(exit_code_for("__global__ void indexed(float* to, const int* order) {\n"
                          "  float values[32];\n"
                          "  for (int i = 0; i < 32; ++i) values[order[i]] = to[i];\n"
                          "  for (int i = 0; i < 32; ++i) to[i] = values[order[31 - i]];\n"
                          "}\n"),
            1);
  EXPECT_NE(out().find("kernel.cu, indexed"), std::string::npos) << out();
  EXPECT_NE(out().find("sm_90: 0 bytes spilled, 128 bytes of local memory"), std::string::npos)
      << out();
}

}  // namespace
}  // namespace mote
