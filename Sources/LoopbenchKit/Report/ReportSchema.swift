/// The shape of a report's JSON.
package enum ReportSchema {
  /// A JSON Schema, draft 2020-12, of `loopbench/1`.
  ///
  /// Keys it does not know are allowed: a later version may add some without
  /// becoming another schema, and readers pass over them. What is named here keeps
  /// its name, type and unit.
  package static var text: String {
    String(decoding: PackageResources.loopbench_1_schema_json, as: UTF8.self)
  }
}
