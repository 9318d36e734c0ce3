#pragma once

// Environment variables that make a system call fail:
//
//   MOTE_FAULT="CALL NUMBER ERRNO"       that call, counted from 1, fails with that errno
//   MOTE_FAULT="CALL NUMBER+ ERRNO"      that call and all later ones fail
//   MOTE_FAULT="CALL NUMBER signal N"    a signal arrives before it
//   MOTE_FAULT_COUNTS=FILE               at exit: the number of each call, one per line
//
// CALL is a name of kCalls. Child processes are not affected.

#include <cstddef>

namespace faults {

enum class Call { write, fsync, rename, open, mkdir, unlink, fork, thread, mmap, malloc };
inline constexpr const char* kCalls[] = {"write",  "fsync", "rename", "open", "mkdir",
                                         "unlink", "fork",  "thread", "mmap", "malloc"};
inline constexpr std::size_t kCallCount = sizeof kCalls / sizeof kCalls[0];

/// Counts the call. Returns the errno to fail with, or 0.
int fault_of(Call call);

}  // namespace faults
