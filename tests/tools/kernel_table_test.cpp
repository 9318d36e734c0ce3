// The table of compiled CUDA kernels in docs/performance.md is complete.
#include <gtest/gtest.h>

#include <filesystem>
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

}  // namespace
}  // namespace mote
