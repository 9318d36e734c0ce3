#include "train/run/run_saver.h"

#include <sys/stat.h>

#include <vector>

#include "core/file.h"
#include "core/log.h"
#include "core/system_fault.h"
#include "train/run/run_beginning.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// Makes a folder with a new name in `parent`, with the files that are needed to resume the run.
/// Throws Error if it cannot be made.
std::unique_ptr<RunFolder> make_refuge(const fs::path& parent, const RunRequest& request) {
  constexpr int kMostNames = 100;
  const std::string name = fs::absolute(request.folder.path()).filename().string() + "_rescued";
  std::error_code fault;
  for (int i = 1; i <= kMostNames && !fault; ++i) {
    const fs::path path = parent / (i == 1 ? name : fmt::format("{}_{}", name, i));
    if (!fs::create_directory(path, fault)) continue;
    try {
      auto refuge = std::make_unique<RunFolder>(path);
      make_folders(refuge->checkpoints());
      write_run_files(request, *refuge);
      return refuge;
    } catch (const Error&) {
      fs::remove_all(path, fault);
      throw;
    }
  }
  throw Error("no new folder can be made in it", parent.string(), "choose another folder");
}

std::vector<fs::path> refuge_parents(const fs::path& folder) {
  std::error_code ignored;
  fs::path whole = fs::absolute(folder, ignored);
  if (!whole.has_filename()) whole = whole.parent_path();
  return {whole.parent_path(), fs::current_path(ignored), fs::temp_directory_path(ignored)};
}

}  // namespace

RunSaver::RunSaver(const RunRequest& request) : request_(request), folder_(identity()) {}

RunSaver::~RunSaver() = default;

const RunFolder& RunSaver::place() const {
  return refuge_ ? *refuge_ : request_.folder;
}

void RunSaver::save_checkpoint(const CheckpointTag& tag, const std::function<void(ByteSink&)>& save,
                               Need need) {
  put([&](const RunFolder& folder) { write_checkpoint(folder.checkpoints(), tag, save); }, need, 0);
}

fs::path RunSaver::save_scene(const Learner& learner, std::uint64_t step, Need need) {
  return put_scene(*learner.copy(), step, learner.model().extension, need);
}

void RunSaver::export_scene(const Learner& learner, std::uint64_t step,
                            const std::vector<std::string>& extensions) {
  std::unique_ptr<HostModel> copy;
  for (const std::string& extension : extensions) {
    if (extension == learner.model().extension) continue;
    if (!copy) copy = learner.copy();
    put_scene(*copy, step, extension, Need::last_chance);
  }
}

fs::path RunSaver::put_scene(const HostModel& model, std::uint64_t step, std::string_view extension,
                             Need need) {
  fs::path path;
  const auto write = [&](const RunFolder& folder) {
    path = folder.scene(request_.plan.model(), step, extension);
    for (const std::string& warning : model.write(path)) {
      log_warning("{}: {}", path.string(), warning);
    }
  };
  put(write, need, need == Need::last_chance ? model.memory_bytes() : 0);
  return path;
}

RunSaver::Identity RunSaver::identity() const {
  struct stat info {};
  if (::stat(request_.folder.path().c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino};
}

/// Makes the folder again if it or its disk was removed. Throws Error if that fails, or if another
/// run has begun there.
void RunSaver::mend() {
  const RunFolder& folder = request_.folder;
  std::error_code ignored;
  const bool same = identity() == folder_;
  if (same && fs::is_directory(folder.checkpoints(), ignored)) return;
  if (!same && folder.holds_run()) {
    throw Error("was removed, and contains another run now", folder.path().string(),
                "use a separate folder for each run");
  }
  request_.folder.make_again();
  write_run_files(request_, folder);
  folder_ = identity();
  log_warning("{}: was removed during the run, and is created again", folder.path().string());
}

void RunSaver::put(const Write& write, Need need, std::uint64_t bytes) {
  try {
    if (!has_moved()) mend();
    write_freeing_space(write, bytes);
  } catch (const Error& error) {
    if (need != Need::last_chance || !move_out(write, error.what())) throw;
  }
}

/// Deletes older checkpoints on a full disk: all but one to write a checkpoint, all to write a
/// scene of `bytes`.
void RunSaver::write_freeing_space(const Write& write, std::uint64_t bytes) const {
  for (;;) {
    try {
      return write(place());
    } catch (const SystemFault& fault) {
      if (!fault.is_full() || !make_way(bytes)) throw;
    }
  }
}

/// Removes the oldest checkpoint. Returns false if there is none, if the only one must stay, or if
/// removing the only one would not free enough space.
bool RunSaver::make_way(std::uint64_t bytes) const {
  const std::vector<fs::path> checkpoints = listed_checkpoints(place().checkpoints());
  std::error_code fault;
  if (checkpoints.empty() || (checkpoints.size() == 1 && bytes == 0)) return false;
  const fs::path& oldest = checkpoints.back();
  if (checkpoints.size() == 1) {
    const fs::space_info disk = fs::space(place().path(), fault);
    if (fault || disk.available + fs::file_size(oldest, fault) < bytes || fault) return false;
  }
  if (!fs::remove(oldest, fault)) return false;
  log_warning("{}: removed, because the disk is full", oldest.string());
  return true;
}

bool RunSaver::move_out(const Write& write, const std::string& reason) {
  for (const fs::path& parent : refuge_parents(request_.folder.path())) {
    try {
      auto refuge = make_refuge(parent, request_);
      try {
        write(*refuge);
      } catch (const Error&) {
        std::error_code ignored;
        fs::remove_all(refuge->path(), ignored);
        throw;
      }
      refuge_ = std::move(refuge);
      reason_ = reason;
      log_warning("{}; saved in {} instead", reason, refuge_->path().string());
      return true;
    } catch (const Error& error) {
      log_detail("{}", error.what());
    }
  }
  return false;
}

}  // namespace mote
