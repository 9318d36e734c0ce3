// The program `mote`: the table of commands, and the only place where errors are caught.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "app/cli/command.h"
#include "app/cli/command_line.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/system_fault.h"

namespace mote {

extern const CommandEntry kTrainCommand, kEvalCommand, kInfoCommand, kRenderCommand, kBenchCommand,
    kConvertCommand, kDevicesCommand, kImportCommand, kSynthCommand, kViewCommand,
    kCompletionsCommand, kManCommand;

std::span<const CommandEntry* const> commands() {
  static constexpr const CommandEntry* kCommands[] = {
      &kTrainCommand, &kEvalCommand,    &kInfoCommand,        &kRenderCommand,
      &kBenchCommand, &kConvertCommand, &kDevicesCommand,     &kImportCommand,
      &kSynthCommand, &kViewCommand,    &kCompletionsCommand, &kManCommand,
  };
  return kCommands;
}

namespace {

constexpr int kDone = 0, kFailed = 1, kWrongUsage = 2, kInterrupted = 130;

Error output_fault(int number) {
  return Error("cannot be written: " + system_message(number), "standard output",
               remedy_for(number, ".", "check the disk or pipe that it leads to"));
}

/// Opens /dev/null for closed standard streams. Otherwise a file opened later would get their
/// descriptor and receive their output. Writing to these streams fails, as to closed ones.
void fill_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) != stream) ::_exit(kFailed);
  }
}

void run(std::vector<std::string> words) {
  CommandLine line(std::move(words));
  const GlobalOptions& globals = line.globals;
  set_log_level(globals.quiet     ? LogLevel::error
                : globals.verbose ? LogLevel::detail
                                  : LogLevel::info);
  if (line.command) {
    catch_interrupts();
    line.command->run(globals);
  } else {
    fmt::print("{}", line.text);
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw output_fault(errno);
}

/// Makes malloc return blocks of a megabyte or more to the system when they are freed. By default
/// the C library raises this threshold to the largest block so far. Then the copies that training
/// makes at each change of its splats would stay with the process: 1.5 times the memory it needs.
void return_freed_memory() {
  constexpr int kLarge_bytes = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLarge_bytes);
}

/// Prints nothing if the reader has closed the pipe.
int failed(int exit_code, std::string_view message) {
  if (reader_is_gone()) return kInterrupted;
  log_line(LogLevel::error, message);
  return exit_code;
}

/// Converts an error of the C++ library when the system refuses a resource, such as a thread.
Error system_fault(const std::system_error& error) {
  if (std::ferror(stdout) != 0) return output_fault(error.code().value());
  return Error(error.code().message(), "a thread or another resource of the system",
               remedy_for(error.code().value(), ".", "close other programs"));
}

}  // namespace
}  // namespace mote

int main(int argc, char** argv) {
  using namespace mote;
  fill_standard_streams();
  return_freed_memory();
  try {
    run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
    return kDone;
  } catch (const Interrupted&) {
    return failed(kInterrupted, interruption());
  } catch (const UsageError& error) {
    return failed(kWrongUsage, error.what());
  } catch (const Error& error) {
    return failed(kFailed, error.what());
  } catch (const std::bad_alloc&) {
    return failed(
        kFailed,
        "out of memory; close other programs, or use less memory: a smaller scene or picture, a "
        "lower --resize or --memory for photographs, or a lower --max-splats for training");
  } catch (const std::system_error& error) {
    return failed(kFailed, system_fault(error).what());
  } catch (const std::exception& error) {
    return failed(kFailed, std::string("internal fault: ") + error.what());
  }
}
