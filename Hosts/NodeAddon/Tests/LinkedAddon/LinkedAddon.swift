// C9. An addon that is linked with the system's libuv, as if its package had not said
// otherwise.
import LoopTransactions
import LoopTransactionsNode

/// Node calls this once in each environment that loads the addon.
@c(napi_register_module_v1)
public func registerAddon(
  _ environment: OpaquePointer,
  _ exports: OpaquePointer
) -> OpaquePointer? {
  NodeHost.register(environment, exports) { host in
    try host.exportAsync("answer") { _ in 42 }
  }
}
