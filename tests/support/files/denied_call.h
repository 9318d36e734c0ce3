#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mote {

/// A system call that fails as on a file system without support for it.
struct DeniedCall {
  long number;
  int error;
  bool of_one_command = false;  // only if the second argument is `command`, as of fcntl()
  std::uint32_t command = 0;
};

/// Makes the calls fail in this process from now on; false if that is not possible. Called in a
/// child process.
inline bool deny_calls(const std::vector<DeniedCall>& calls) {
  constexpr auto kNumber = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
  constexpr auto kSecond = static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8);
  std::vector<sock_filter> program;
  for (const DeniedCall& call : calls) {
    const auto fail = SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(call.error);
    const std::uint8_t past = call.of_one_command ? 3 : 1;
    program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber));
    program.push_back(
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call.number), 0, past));
    if (call.of_one_command) {
      program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kSecond));
      program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call.command, 0, 1));
    }
    program.push_back(BPF_STMT(BPF_RET | BPF_K, fail));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace mote
