// Graphs: lists of work that a stream captured, repeated at each launch.

#include <memory>

#include "device_call.h"
#include "streams.h"

namespace cuda_host {
namespace {

GraphUse& use() {
  static GraphUse use;
  return use;
}

}  // namespace

GraphUse graph_use() {
  const std::lock_guard lock(device_mutex());
  return use();
}

void forget_graph_use() {
  use() = {0, 0, use().alive};
}

}  // namespace cuda_host

using namespace cuda_host;

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return device_call([&] {
    if (nodes != nullptr) return cudaErrorNotSupported;
    *count = graph->work.size();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  return device_call([&] {
    *executable = std::make_unique<CUgraphExec_st>(CUgraphExec_st{graph->work}).release();
    ++use().made;
    ++use().alive;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t stream) {
  return device_call(
      [&] { return is_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return device_call([&] {
    ++use().launched;
    for (const Work& work : executable->work) {
      const cudaError_t status = submit(stream, work.at_launch ? work.at_launch(stream) : work);
      if (status != cudaSuccess) return status;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  *result = {cudaGraphExecUpdateError, nullptr, nullptr};
  return device_call([&] {
    const std::vector<Work>& old = executable->work;
    result->result = cudaGraphExecUpdateSuccess;
    if (old.size() != graph->work.size()) result->result = cudaGraphExecUpdateErrorTopologyChanged;
    for (std::size_t k = 0; k < old.size() && result->result == cudaGraphExecUpdateSuccess; ++k) {
      if (old[k].kind != graph->work[k].kind) {
        result->result = cudaGraphExecUpdateErrorNodeTypeChanged;
      } else if (old[k].kernel != graph->work[k].kernel) {
        result->result = cudaGraphExecUpdateErrorFunctionChanged;
      }
    }
    if (result->result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
    executable->work = graph->work;
    return cudaSuccess;
  });
}

// The graph is removed from the host even if the device is lost and the call fails.

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  const std::lock_guard lock(device_mutex());
  const std::unique_ptr<CUgraphExec_st> owner(executable);
  --use().alive;
  return note(refusal());
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const std::lock_guard lock(device_mutex());
  const std::unique_ptr<CUgraph_st> owner(graph);
  return note(refusal());
}
