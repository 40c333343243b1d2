#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The JSON schemas of fabric and state: what they allow, the program reads.
load cli

SCHEMAS=$TOPOLOGY/schema

# Draft 2020-12 needs python3-jsonschema 4. A python3 without it may stand in
# front of the one that has it.
find_python() {
	for python in python3 /usr/bin/python3; do
		if "$python" -c 'import jsonschema
jsonschema.Draft202012Validator' 2>/dev/null; then
			return
		fi
	done
	skip "python3-jsonschema is not installed"
}

# valid SCHEMA FILE...: exit status 1 and the faults when one is not.
valid() {
	"$python" - "$SCHEMAS/$1.schema.json" "${@:2}" <<-'END'
	import json, sys
	import jsonschema
	with open(sys.argv[1]) as stream:
	    schema = json.load(stream)
	jsonschema.Draft202012Validator.check_schema(schema)
	validator = jsonschema.Draft202012Validator(schema)
	bad = 0
	for name in sys.argv[2:]:
	    with open(name) as stream:
	        for error in validator.iter_errors(json.load(stream)):
	            print(name, error.json_path, error.message)
	            bad = 1
	sys.exit(bad)
	END
}

@test "the fabrics that come with the program keep to the schema" {
	find_python
	valid fabric "$TOPOLOGY"/*.json
}

# The schema may be kinder than the program, never stricter.
@test "fabrics that keep to no schema are refused by check" {
	find_python
	count=0
	for file in "$TOPOLOGY"/broken/*.json; do
		"$python" -m json.tool "$file" >/dev/null 2>&1 || continue
		valid fabric "$file" >/dev/null && continue
		runs 2 check "$file"
		count=$((count + 1))
	done
	[ "$count" -ge 20 ]
}

@test "what the fabric schema refuses" {
	find_python
	write_fabric
	valid fabric fabric.json
	for change in 's/"gpus": 2/"gpus": -1/' 's/"gpus": 2/"gpu": 2/' \
		's/"gpus": 2/"gpus": 1025/' 's/"count": 4/"count": 4097/' \
		's/"count": 4/"gbps": 0/' 's/"tier": "leaf"/"tier": "tor"/' \
		's/"name": "leaf1", //' 's/, "nodes": "n\[1-4\]"//' \
		's/"tier": "spine"/"tier": "spine", "rail": 0/' \
		's/"to": /"too": /'; do
		sed "$change" fabric.json >changed.json
		run -1 cmp -s fabric.json changed.json
		run -1 valid fabric changed.json
		runs 2 check changed.json
	done
}

@test "notes beside the keys are allowed by schema and program" {
	find_python
	write_fabric
	sed 's/"gpus": 2/"gpus": 2, "_why": ["old"]/' fabric.json >noted.json
	run -1 cmp -s fabric.json noted.json
	valid fabric noted.json
	runs 0 check noted.json
	echo '{"_note": 1, "down": "n1"}' >state.json
	valid state state.json
	runs 0 show fabric.json --state state.json
}

@test "what the state schema allows, show reads" {
	find_python
	write_fabric
	cat >state.json <<-'END'
	{"down": "n[1,7]",
	 "jobs": [{"id": 17, "nodes": "n[2-5]", "gpus": [2, 2, 2, 1],
	           "parallelism": "tp=2,dp_bytes=4e9"},
	          {"nodes": "n6"}],
	 "links": [{"from": "leaf1", "to": "spine2", "gbps": 200}],
	 "weights": {"n[1-8]": 10},
	 "node_order": "n[5-8,1-4]"}
	END
	valid state state.json
	runs 0 show fabric.json --state state.json
	echo '{}' >empty.json
	valid state empty.json
	runs 0 show fabric.json --state empty.json
}

@test "what the state schema refuses" {
	find_python
	write_fabric
	for text in '[]' '{"downs": "n1"}' '{"down": ["n1"]}' \
		'{"jobs": [{"id": 1}]}' '{"jobs": [{"nodes": "n1", "gpus": [-1]}]}' \
		'{"links": [{"from": "leaf1", "to": "spine1"}]}' \
		'{"links": [{"from": "leaf1", "to": "spine1", "gbps": -1}]}' \
		'{"weights": {"n1": 1.5}}' '{"node_order": 1}'; do
		echo "$text" >state.json
		run -1 valid state state.json
		runs 2 show fabric.json --state state.json
	done
}
