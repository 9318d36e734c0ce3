// Neural fields as models: their extents and sizes.
#include "train/fields/field_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>

#include "fields/field_camera.h"
#include "fields/proposals/proposal_layout.h"
#include "support/tiny_field.h"
#include "support/tiny_proposals.h"

namespace mote {
namespace {

constexpr int kFieldSide = 4;  // three cascades

/// A field with a cube of occupied cells around the middle of its first cascade.
NeuralField field_with_a_cube() {
  NeuralField field = tiny_field(FieldApplication::nerf, 1, kFieldSide);
  field.placement = {.scale = 0.5, .offset = {0.5, 0.5, 0.5}};
  field.render_box = field_cube(kFieldSide);
  field.occupancy.values.assign(field.occupancy.values.size(), 0.0f);
  for (std::uint32_t cell = 0; cell < kOccupancyCells; ++cell) {
    const Vec3<float> at = cell_position(cell, {0.5f, 0.5f, 0.5f});
    const glm::vec3 far = glm::abs(glm::vec3(at.x, at.y, at.z) - 0.5f);
    if (std::max({far.x, far.y, far.z}) < 0.25f) field.occupancy.values[cell] = 1;
  }
  return field;
}

void occupy_last_cascade(NeuralField& field) {
  for (std::size_t i = 2 * kOccupancyCells; i < field.occupancy.values.size(); ++i) {
    field.occupancy.values[i] = 1;
  }
}

TEST(FieldExtents, AreThoseOfOccupiedCells) {
  NeuralField field = field_with_a_cube();
  const SceneExtent small = HostField(field).extent();
  EXPECT_LT(glm::length(small.center), 0.02);
  EXPECT_GT(small.radius, 0.25);
  EXPECT_LT(small.radius, 1);
  occupy_last_cascade(field);
  EXPECT_GT(HostField(field).extent().radius, 2 * small.radius);
}

TEST(FieldExtents, LeaveOutContractedSpace) {
  NeuralField field = field_with_a_cube();
  const SceneExtent small = HostField(field).extent();
  field.proposals = tiny_proposals();
  occupy_last_cascade(field);
  const SceneExtent found = HostField(field).extent();
  EXPECT_EQ(found.radius, small.radius);
  EXPECT_EQ(found.center, small.center);
}

TEST(FieldModels, CountTheParametersOfTheirProposals) {
  NeuralField field = field_with_a_cube();
  const std::uint64_t own = field.parameters.size();
  EXPECT_EQ(HostField(field).count(), own);
  const std::uint64_t bytes = HostField(field).memory_bytes();
  field.proposals = tiny_proposals();
  const std::uint64_t more = 2 * field.proposals->rounds[0].parameters.size();
  EXPECT_EQ(HostField(field).count(), own + more);
  EXPECT_EQ(HostField(field).memory_bytes(), bytes + 4 * more);
  EXPECT_NE(field_description(field).find(std::to_string(own + more)), std::string::npos);
  std::uint64_t initial = 0;
  for (const ProposalRound& round : initial_proposals({}, 1).rounds) {
    initial += round.parameters.size();
  }
  EXPECT_EQ(proposal_parameters(empty_proposals({})), initial);
}

}  // namespace
}  // namespace mote
