#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "meshes/mesh_distance.h"
#include "meshes/triangle_mesh.h"
#include "train/fields/field_target.h"

namespace mote {

/// Pictures of a field that is fitted to a mesh, from around.
struct MeshPictureSize {
  int views = 4, width = 640, height = 480;
};

/// A surface that a signed distance field is fitted to. Distances are in units of the field's cube,
/// negative inside.
class MeshTarget : public FieldTarget {
 public:
  /// Reads the mesh. Throws the errors of read_mesh(). `pictures`: of evaluations.
  MeshTarget(const std::filesystem::path& file, const std::function<void(double)>& progress,
             const MeshPictureSize& pictures = {});

  FieldApplication application() const override { return FieldApplication::sdf; }
  std::string description() const override;
  const std::vector<std::string>& notes() const override { return notes_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  std::uint64_t fingerprint() const override { return fingerprint_; }
  std::uint64_t memory_bytes() const override;

  NeuralField untrained(const FieldConfig& chosen) const override;
  /// Four of eight samples are on the surface, three beside it, with a logistic distribution whose
  /// scale is kBeside of the radius, and one is anywhere in the cube (instant-ngp).
  void fill(const TargetDraw& draw, const FieldSamples& samples) const override;
  static constexpr double kBeside = 1.0 / 1024;
  std::vector<std::filesystem::path> picture_files() const override;
  /// "iou" of the insides, over random points of the box; "mean_error", the mean difference of
  /// distances beside the surface, and "chamfer", the mean distance of either surface to the other:
  /// both in shares of the longest side of the mesh. Pictures are views from around.
  std::vector<TargetScore> score(const TargetScoreRequest& request) const override;

 private:
  // Points in the field's frame, each by its number.
  glm::vec3 surface_point(std::uint64_t seed, std::uint64_t number) const;
  /// A point beside the surface, and its signed distance.
  struct BesidePoint {
    glm::vec3 position;
    float distance;
  };
  BesidePoint beside_point(std::uint64_t seed, std::uint64_t number) const;
  double intersection_over_union(DeviceField& field, const std::function<void(double)>& show) const;
  double mean_error(DeviceField& field) const;
  double chamfer(DeviceField& field) const;
  std::vector<View> picture_views() const;
  void write_pictures(const TargetScoreRequest& request) const;

  std::filesystem::path file_;
  TriangleMesh mesh_;  // in the field's frame
  FieldPlacement placement_;
  FieldBox box_;  // around the mesh, with a margin
  double radius_ = 0, longest_ = 0;
  std::vector<double> areas_;  // of the triangles up to each, in all
  MeshDistance distance_;
  MeshPictureSize pictures_;
  mutable std::vector<std::uint8_t> inside_;  // whether points of evaluations are, by number
  std::vector<std::string> notes_, warnings_;
  std::uint64_t fingerprint_ = 0;
};

}  // namespace mote
