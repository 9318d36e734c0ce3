// Remedies for failed system calls, and inputs that are not regular files.
#include "core/system_fault.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/file.h"
#include "core/file_descriptor.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class SystemFaults : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  void expect_refusal(const fs::path& path, const std::string& phrase) const {
    const std::string message = thrown_by([&] { const InputFile file(path); }).what();
    EXPECT_NE(message.find(phrase), std::string::npos) << phrase << " in " << message;
    EXPECT_NE(message.find(path.string()), std::string::npos) << message;
  }

  fs::path folder_ =
      fs::path(::testing::TempDir()) / ("mote_system_faults_" + std::to_string(::getpid()));
};

TEST_F(SystemFaults, KnownErrorsHaveTheirRemedyAndOthersTheCallers) {
  const std::vector<std::pair<int, std::string>> remedies{
      {EMFILE, "ulimit -n"},     {ENFILE, "close other programs"},
      {ENAMETOOLONG, "shorter"}, {EROFS, "read-only"},
      {EDQUOT, "quota"},         {ELOOP, "symbolic links"},
      {ENOTDIR, "is a file"},    {EFBIG, "ulimit -f"},
      {EAGAIN, "ulimit -u"},     {ENOSPC, "free space"},
      {ENOENT, "the caller's"},  {EACCES, "the caller's"}};
  for (const auto& [number, phrase] : remedies) {
    const SystemFault fault("cannot be opened", number, folder_ / "a", "the caller's");
    EXPECT_NE(fault.remedy().find(phrase), std::string::npos) << fault.what();
    EXPECT_NE(std::string(fault.what()).find(std::strerror(number)), std::string::npos);
    EXPECT_EQ(fault.is_full(), number == ENOSPC || number == EDQUOT || number == EFBIG);
  }
}

TEST_F(SystemFaults, ADiskThatTakesNoMoreHasTheRemedyOfAnotherPlaceToo) {
  for (const int number : {ENOSPC, EDQUOT, EFBIG, EROFS, EMFILE, EACCES}) {
    const SystemFault fault("cannot be written", number, folder_, "the caller's", "set TMPDIR");
    const bool is_cure = number != EMFILE && number != EACCES;
    EXPECT_EQ(fault.remedy().ends_with(", or set TMPDIR"), is_cure) << fault.what();
    const std::string only = remedy_for(number, folder_, "the caller's");
    EXPECT_TRUE(fault.remedy().starts_with(only)) << fault.what();
    EXPECT_EQ(SystemFault("", number, folder_, "the caller's").remedy(), only);
  }
}

TEST_F(SystemFaults, APipeASocketAndADeviceAreRefusedAsInputAtOnce) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  expect_refusal(folder_ / "pipe", "is a named pipe");
  fs::create_symlink("pipe", folder_ / "link");
  expect_refusal(folder_ / "link", "is a named pipe");
  expect_refusal("/dev/null", "is a device");
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string name = (folder_ / "socket").string();
  ASSERT_LT(name.size(), sizeof address.sun_path);
  std::strcpy(address.sun_path, name.c_str());
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  expect_refusal(name, "is a socket");
  ::close(socket);
}

TEST_F(SystemFaults, ImpossiblePathsHaveDifferentMessages) {
  expect_refusal(folder_ / std::string(300, 'x'), "shorter name");
  std::ofstream(folder_ / "file") << "x";
  expect_refusal(folder_ / "file" / "inside", "is a file, not a folder");
  fs::create_symlink("circle", folder_ / "circle");
  expect_refusal(folder_ / "circle", "symbolic links");
}

TEST_F(SystemFaults, TheLimitOfOpenFilesIsNamedForReadingAndWriting) {
  std::ofstream(folder_ / "file") << "x";
  // A sanitizer opens files at the first such error.
  thrown_by([&] { const InputFile file(folder_ / "missing"); });
  thrown_by([&] { OutputFile file(folder_ / "missing" / "new"); });
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const Error read = thrown_by([&] { const InputFile file(folder_ / "file"); });
  const Error written = thrown_by([&] { OutputFile file(folder_ / "new"); });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  // A sanitizer needs descriptors of files to check these calls.
  const std::string reading = read.what(), writing = written.what();
  EXPECT_NE(reading.find("ulimit -n"), std::string::npos) << reading;
  EXPECT_NE(writing.find("ulimit -n"), std::string::npos) << writing;
}

}  // namespace
}  // namespace mote
