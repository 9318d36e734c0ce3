#pragma once

// Which call of the system fails, by the environment:
//
//   MOTE_FAULT="CALL NUMBER ERRNO"       that call, counted from 1, fails with that errno
//   MOTE_FAULT="CALL NUMBER+ ERRNO"      it does so from then on
//   MOTE_FAULT="CALL NUMBER signal N"    a signal comes ahead of it
//   MOTE_FAULT_COUNTS=FILE               the number of each call, one a line, when the program ends
//
// CALL is a name of kCalls. Programs that the program starts are spared.

#include <cstddef>

namespace faults {

enum class Call { write, fsync, rename, open, mkdir, unlink, fork, thread, mmap, malloc };
inline constexpr const char* kCalls[] = {"write",  "fsync", "rename", "open", "mkdir",
                                         "unlink", "fork",  "thread", "mmap", "malloc"};
inline constexpr std::size_t kCallCount = sizeof kCalls / sizeof kCalls[0];

/// Counts the call. Gives the errno that it fails with, or 0.
int fault_of(Call call);

}  // namespace faults
