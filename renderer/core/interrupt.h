#pragma once

#include <atomic>
#include <string_view>

namespace mote {

/// The user asked to stop. Not an Error, since nothing is wrong. `main` catches it and exits with
/// 130.
struct Interrupted {};

/// Makes these signals set a flag, so that work can stop cleanly: SIGINT (Ctrl-C), SIGTERM, SIGHUP
/// (the terminal is closed), SIGXCPU (the limit on processor time is reached) and SIGPIPE (the
/// reader of our output is gone, as behind `| head`). A second SIGINT or SIGTERM ends the program
/// at once. SIGHUP and SIGPIPE stay ignored if they were, as under nohup. SIGXFSZ is ignored: a
/// write beyond the limit on file size then fails as on a full disk.
void catch_interrupts();

/// Whether the flag is set. Long loops poll it.
bool interrupted();

/// The flag, for threads that poll it during long work. Without the innermost CancelScope.
const std::atomic<bool>& interrupt_flag();

/// Whether the reader of our output is gone.
bool reader_is_gone();

/// The reason why the flag is set, as a phrase: "interrupted".
std::string_view interruption();

/// Throws Interrupted where the flag is set.
void throw_if_interrupted();

}  // namespace mote
