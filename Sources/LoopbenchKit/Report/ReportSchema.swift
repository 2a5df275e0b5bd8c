/// The shape of a report's JSON.
package enum ReportSchema {
  /// A JSON Schema, draft 2020-12, of `loopbench/1`.
  ///
  /// Keys it does not know are allowed: a later version may add some without
  /// becoming another schema, and readers pass over them. What is named here keeps
  /// its name, type and unit.
  package static let text = """
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "$id": "urn:loopbench:1",
      "title": "loopbench/1",
      "description": "What a run of loopbench found. Times are in ns.",
      "type": "object",
      "required": [
        "schema", "tool", "argv", "seed", "labels", "machine", "settings", "rounds", "results",
        "comparisons", "noise", "warnings"
      ],
      "properties": {
        "schema": { "const": "loopbench/1" },
        "tool": { "$ref": "#/$defs/tool" },
        "argv": { "type": "array", "items": { "type": "string" } },
        "seed": { "$ref": "#/$defs/count" },
        "labels": { "type": "object", "additionalProperties": { "type": "string" } },
        "machine": { "$ref": "#/$defs/machine" },
        "settings": { "$ref": "#/$defs/settings" },
        "descriptions": { "type": "array", "items": { "$ref": "#/$defs/description" } },
        "rounds": { "type": "array", "items": { "$ref": "#/$defs/round" } },
        "results": { "type": "array", "items": { "$ref": "#/$defs/result" } },
        "comparisons": { "type": "array", "items": { "$ref": "#/$defs/comparison" } },
        "noise": { "type": "array", "items": { "$ref": "#/$defs/noise" } },
        "warnings": { "type": "array", "items": { "$ref": "#/$defs/warning" } }
      },
      "$defs": {
        "count": { "type": "integer", "minimum": 0 },
        "time": { "type": "number", "minimum": 0 },
        "names": { "type": "array", "items": { "type": "string" } },
        "percentile": { "type": "string", "pattern": "^([0-9]{1,2}(\\\\.[0-9]{1,3})?|max)$" },
        "percentiles": {
          "description": "Keyed 50, 99.9 or max; in ns. Absent: too few samples to tell it from the largest.",
          "type": "object",
          "propertyNames": { "$ref": "#/$defs/percentile" },
          "additionalProperties": { "$ref": "#/$defs/time" }
        },
        "tool": {
          "type": "object",
          "required": ["name", "version"],
          "properties": { "name": { "type": "string" }, "version": { "type": "string" } }
        },
        "machine": {
          "type": "object",
          "required": ["cpu", "cpus", "virtualization", "os", "libuv", "swift", "build"],
          "properties": {
            "cpu": { "type": "string" },
            "cpus": { "$ref": "#/$defs/count" },
            "virtualization": { "type": "string" },
            "os": { "type": "string" },
            "libuv": { "type": "string" },
            "swift": { "type": "string" },
            "build": { "enum": ["release", "debug"] }
          }
        },
        "settings": {
          "type": "object",
          "required": [
            "rounds", "order", "warmUp", "warmUpRounds", "dropsDisturbed", "placement", "pace",
            "overhead", "scenarios", "peers"
          ],
          "properties": {
            "rounds": { "$ref": "#/$defs/count" },
            "order": { "type": "string" },
            "warmUp": { "type": "string" },
            "warmUpRounds": { "$ref": "#/$defs/count" },
            "dropsDisturbed": { "type": "boolean" },
            "placement": { "$ref": "#/$defs/placement" },
            "pace": { "$ref": "#/$defs/pace" },
            "conditions": { "$ref": "#/$defs/conditions" },
            "overhead": { "$ref": "#/$defs/overhead" },
            "scenarios": { "$ref": "#/$defs/names" },
            "peers": { "$ref": "#/$defs/names" }
          }
        },
        "pace": {
          "description": "The open-loop series: operations per second, and how they are spread.",
          "type": "object",
          "required": ["rate", "arrival"],
          "properties": {
            "rate": { "type": "number", "exclusiveMinimum": 0 },
            "arrival": { "enum": ["const", "poisson"] }
          }
        },
        "conditions": {
          "description": "What the machine was asked for; absent: nothing beside its default.",
          "type": "object",
          "required": ["slackNs", "load"],
          "properties": {
            "priority": { "type": "integer", "minimum": 1, "maximum": 99 },
            "slackNs": { "$ref": "#/$defs/count" },
            "load": { "type": "string" }
          }
        },
        "overhead": {
          "description": "What measuring costs for each sample.",
          "type": "object",
          "required": ["clockNs", "recordNs"],
          "properties": {
            "clockNs": { "$ref": "#/$defs/time" },
            "recordNs": { "$ref": "#/$defs/time" }
          }
        },
        "placement": {
          "type": "object",
          "required": ["cpuCount"],
          "properties": {
            "cpuCount": { "$ref": "#/$defs/count" },
            "loop": { "$ref": "#/$defs/count" },
            "producer": { "$ref": "#/$defs/count" }
          }
        },
        "round": {
          "type": "object",
          "required": ["round", "order", "wallNs", "isDisturbed", "disturbed"],
          "properties": {
            "round": { "type": "integer", "minimum": 1 },
            "order": { "$ref": "#/$defs/names" },
            "wallNs": { "$ref": "#/$defs/count" },
            "isDisturbed": { "type": "boolean" },
            "disturbed": { "$ref": "#/$defs/names" }
          }
        },
        "result": {
          "description": "What one peer did in one series. Other numbers in it are what its scenario states beside the times, such as dropped.",
          "type": "object",
          "required": [
            "scenario", "series", "peer", "kind", "isTwin", "unit", "count", "missed", "counts", "min",
            "max", "mean", "stddev", "percentiles", "histogram", "perRound"
          ],
          "properties": {
            "scenario": { "type": "string" },
            "series": { "type": "string" },
            "peer": { "type": "string" },
            "kind": { "enum": ["mean", "service", "intended", "lag"] },
            "isTwin": { "type": "boolean" },
            "isReference": {
              "description": "A rule that names no peer passes it over.",
              "type": "boolean"
            },
            "companionOf": {
              "description": "The series whose slices recorded this one too; absent: its own.",
              "type": "string"
            },
            "samplesPerRound": {
              "description": "How many a round was to take.",
              "type": "integer",
              "minimum": 1
            },
            "unit": { "const": "ns" },
            "count": { "$ref": "#/$defs/count" },
            "missed": { "$ref": "#/$defs/count" },
            "counts": {
              "description": "What was counted beside the times: committed, performed.",
              "type": "object",
              "additionalProperties": { "$ref": "#/$defs/count" }
            },
            "min": { "$ref": "#/$defs/time" },
            "max": { "$ref": "#/$defs/time" },
            "mean": { "$ref": "#/$defs/time" },
            "stddev": { "$ref": "#/$defs/time" },
            "percentiles": { "$ref": "#/$defs/percentiles" },
            "undisturbed": { "$ref": "#/$defs/undisturbed" },
            "histogram": { "$ref": "#/$defs/histogram" },
            "perRound": { "type": "array", "items": { "$ref": "#/$defs/seriesRound" } }
          }
        },
        "undisturbed": {
          "description": "The same without the disturbed rounds.",
          "type": "object",
          "required": ["rounds", "count", "percentiles"],
          "properties": {
            "rounds": { "$ref": "#/$defs/count" },
            "count": { "$ref": "#/$defs/count" },
            "percentiles": { "$ref": "#/$defs/percentiles" }
          }
        },
        "histogram": {
          "description": "Pairs of a bucket's index and its count. Index i has shift s = max(0, i / 2^subBits - 1) and begins at (i - s * 2^subBits) * 2^s ps; it is 2^s ps wide.",
          "type": "object",
          "required": ["subBits", "unit", "pairs"],
          "properties": {
            "subBits": { "const": 8 },
            "unit": { "const": "ps" },
            "pairs": {
              "type": "array",
              "items": {
                "type": "array",
                "items": { "$ref": "#/$defs/count" },
                "minItems": 2,
                "maxItems": 2
              }
            }
          }
        },
        "seriesRound": {
          "type": "object",
          "required": [
            "round", "count", "percentiles", "wallNs", "cpuNs", "ctxVoluntary", "ctxInvoluntary",
            "stealNs", "migrations", "isDisturbed"
          ],
          "properties": {
            "round": { "type": "integer", "minimum": 1 },
            "count": { "$ref": "#/$defs/count" },
            "percentiles": { "$ref": "#/$defs/percentiles" },
            "counts": {
              "description": "What was counted beside the times; absent: nothing.",
              "type": "object",
              "additionalProperties": { "$ref": "#/$defs/count" }
            },
            "wallNs": { "$ref": "#/$defs/count" },
            "cpuNs": { "$ref": "#/$defs/count" },
            "ctxVoluntary": { "$ref": "#/$defs/count" },
            "ctxInvoluntary": { "$ref": "#/$defs/count" },
            "stealNs": { "$ref": "#/$defs/count" },
            "migrations": { "$ref": "#/$defs/count" },
            "isDisturbed": { "type": "boolean" }
          }
        },
        "comparison": {
          "description": "One percentile of a peer over that of a reference, round by round.",
          "type": "object",
          "required": [
            "scenario", "series", "peer", "reference", "percentile", "rounds", "ratio",
            "difference", "interval", "verdict"
          ],
          "properties": {
            "scenario": { "type": "string" },
            "series": { "type": "string" },
            "peer": { "type": "string" },
            "reference": { "type": "string" },
            "percentile": { "$ref": "#/$defs/percentile" },
            "rounds": { "$ref": "#/$defs/count" },
            "ratio": { "$ref": "#/$defs/spread" },
            "difference": { "$ref": "#/$defs/spread" },
            "interval": { "$ref": "#/$defs/interval" },
            "verdict": { "enum": ["faster", "same", "slower", "inconclusive"] }
          }
        },
        "description": {
          "description": "What a scenario is, for a reader that does not know it.",
          "type": "object",
          "required": ["scenario", "summary", "references", "extras", "series"],
          "properties": {
            "scenario": { "type": "string" },
            "summary": { "type": "string" },
            "references": { "type": "array", "items": { "type": "string" } },
            "extras": { "type": "array", "items": { "enum": ["difference", "processorUse"] } },
            "series": {
              "type": "array",
              "items": {
                "type": "object",
                "required": ["name", "summary"],
                "properties": {
                  "name": { "type": "string" },
                  "summary": { "type": "string" },
                  "companionOf": { "type": "string" }
                }
              }
            }
          }
        },
        "noise": {
          "description": "One peer measured twice: what differs less is noise.",
          "type": "object",
          "required": ["scenario", "series", "peer", "percentile", "rounds", "interval"],
          "properties": {
            "scenario": { "type": "string" },
            "series": { "type": "string" },
            "peer": { "type": "string" },
            "percentile": { "$ref": "#/$defs/percentile" },
            "rounds": { "$ref": "#/$defs/count" },
            "interval": { "$ref": "#/$defs/interval" }
          }
        },
        "spread": {
          "type": "object",
          "required": ["median", "low", "high"],
          "properties": {
            "median": { "type": "number" },
            "low": { "type": "number" },
            "high": { "type": "number" }
          }
        },
        "interval": {
          "type": "object",
          "required": ["low", "high"],
          "properties": { "low": { "type": "number" }, "high": { "type": "number" } }
        },
        "warning": {
          "type": "object",
          "required": ["id", "text", "hint"],
          "properties": {
            "id": { "type": "string" },
            "text": { "type": "string" },
            "hint": { "type": "string" }
          }
        }
      }
    }

    """
}
