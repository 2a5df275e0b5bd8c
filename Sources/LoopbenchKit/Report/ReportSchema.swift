/// The JSON schema of a report.
package enum ReportSchema {
  /// The JSON Schema (draft 2020-12) of `loopbench/1`.
  ///
  /// Readers must ignore unknown keys, because a later version may add keys without a
  /// new schema. The keys in the schema keep their names, types and units.
  package static var text: String {
    String(decoding: PackageResources.loopbench_1_schema_json, as: UTF8.self)
  }
}
