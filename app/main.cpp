// The program `mote`: the table of commands, and the one place where errors are caught.
#include <malloc.h>

#include <cstdio>
#include <exception>
#include <new>

#include "app/command.h"
#include "app/command_line.h"
#include "core/interrupt.h"
#include "core/log.h"

namespace mote {

extern const CommandEntry kTrainCommand, kEvalCommand, kInfoCommand, kRenderCommand, kBenchCommand,
    kConvertCommand, kDevicesCommand, kImportCommand, kSynthCommand, kViewCommand;

std::span<const CommandEntry* const> commands() {
  static constexpr const CommandEntry* kCommands[] = {
      &kTrainCommand,   &kEvalCommand,    &kInfoCommand,   &kRenderCommand, &kBenchCommand,
      &kConvertCommand, &kDevicesCommand, &kImportCommand, &kSynthCommand,  &kViewCommand,
  };
  return kCommands;
}

namespace {

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
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Error("cannot be written", "standard output", "check the disk or pipe behind it");
  }
}

/// Blocks from a megabyte on go back to the system when they are freed. Left to itself the C
/// library raises that size with the largest block it has seen, and what training copies at each
/// change of its splats stays with the process: half as much again as it needs.
void return_freed_memory() {
  constexpr int kLarge_bytes = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLarge_bytes);
}

int failed(int exit_code, std::string_view message) {
  log_line(LogLevel::error, message);
  return exit_code;
}

}  // namespace
}  // namespace mote

int main(int argc, char** argv) {
  using namespace mote;
  constexpr int kDone = 0, kFailed = 1, kWrongUsage = 2, kInterrupted = 130;
  return_freed_memory();
  try {
    run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
    return kDone;
  } catch (const Interrupted&) {
    return failed(kInterrupted, "interrupted");
  } catch (const UsageError& error) {
    return failed(kWrongUsage, error.what());
  } catch (const Error& error) {
    return failed(kFailed, error.what());
  } catch (const std::bad_alloc&) {
    return failed(kFailed, "out of memory; close other programs or take a smaller scene");
  } catch (const std::exception& error) {
    return failed(kFailed, std::string("internal fault: ") + error.what());
  }
}
