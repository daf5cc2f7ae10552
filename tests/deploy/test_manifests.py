"""What is shipped for deployment holds to its schemas and agrees with itself: no engine, no cluster, no network."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import jsonschema
import kubernetes_validate
import pytest
import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
KUBERNETES = DEPLOY / "kubernetes"
SCHEMAS = Path(__file__).parent / "schemas"
BUILT_IN = sorted(path for path in (KUBERNETES / "base").glob("*.yaml") if path.name != "kustomization.yaml")
CONTAINERFILE = DEPLOY / "images" / "Containerfile"


def documents(path):
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def objects(kind):
    """All objects of a kind in the manifests."""
    found = [document for path in BUILT_IN for document in documents(path) if document["kind"] == kind]
    assert found
    return found


def program(*argv):
    """A program of the environment, or of the system."""
    beside = Path(sys.executable).with_name(argv[0])
    command = [str(beside) if beside.exists() else argv[0], *argv[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return done.returncode, done.stdout + done.stderr


# ------------------------------------------------------------------------------------------------------- kubernetes


@pytest.mark.parametrize("version", ["1.29", "1.33"])
@pytest.mark.parametrize("path", BUILT_IN, ids=[path.name for path in BUILT_IN])
def test_kubernetes_objects_hold_to_their_schemas(path, version):
    for document in documents(path):
        kubernetes_validate.validate(document, version, strict=True)


def strict(schema):
    """A schema of a resource definition, by which fields that it does not name are wrong."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: strict(part) for name, part in schema.items()}
    if (
        isinstance(schema.get("properties"), dict)
        and schema.get("type") == "object"
        and "kind" not in schema["properties"]
    ):
        made.setdefault("additionalProperties", False)
    return made


def validator(kind):
    """Of a kind of the operator's objects."""
    (path,) = SCHEMAS.glob(f"monitoring.coreos.com_{kind.lower()}s.yaml")
    (definition,) = documents(path)
    assert definition["spec"]["names"]["kind"] == kind
    (version,) = definition["spec"]["versions"]
    return jsonschema.Draft202012Validator(strict(version["schema"]["openAPIV3Schema"]))


@pytest.mark.parametrize("name", ["alerts.yaml", "servicemonitors.yaml"])
def test_objects_of_the_operator_hold_to_its_definitions(name):
    found = documents(KUBERNETES / "monitoring" / name)
    assert found
    for document in found:
        validator(document["kind"]).validate(document)


def test_a_wrong_field_of_the_operator_would_be_noticed():
    monitor = documents(KUBERNETES / "monitoring" / "servicemonitors.yaml")[0]
    monitor["spec"]["endpoints"][0]["intervall"] = "15s"
    with pytest.raises(jsonschema.ValidationError):
        validator("ServiceMonitor").validate(monitor)


def test_a_wrong_field_would_be_noticed():
    (stateful,) = [one for one in objects("StatefulSet") if one["metadata"]["name"] == "croupier"]
    stateful["spec"]["template"]["spec"]["containers"][0]["readynessProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(stateful, "1.33", strict=True)


def test_pods_run_as_nobody_on_a_read_only_root_and_drain():
    for stateful in objects("StatefulSet"):
        pod = stateful["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            assert container[probe]["exec"]["command"][:2] == ["croupier", "health"]
        pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
        drain = next((int(arg.partition("=")[2]) for arg in container["args"] if arg.startswith("--drain-grace")), 0)
        assert pod["terminationGracePeriodSeconds"] > pause + drain


def test_everything_that_selects_pods_finds_some():
    pods = [stateful["spec"]["template"]["metadata"]["labels"] for stateful in objects("StatefulSet")]
    ports = {
        port["name"]
        for one in objects("StatefulSet")
        for port in one["spec"]["template"]["spec"]["containers"][0]["ports"]
    }
    selectors = [one["spec"]["selector"] for one in objects("Service")]
    selectors += [one["spec"]["selector"]["matchLabels"] for one in objects("PodDisruptionBudget")]
    selectors += [one["spec"]["podSelector"]["matchLabels"] for one in objects("NetworkPolicy")]
    assert len(selectors) == 6
    for selector in selectors:
        assert any(selector.items() <= labels.items() for labels in pods)
    for service in objects("Service"):
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= ports


def test_kustomizations_name_files_that_are_there():
    for path in DEPLOY.rglob("kustomization.yaml"):
        (kustomization,) = documents(path)
        named = list(kustomization.get("resources", ()))
        named += [file for one in kustomization.get("configMapGenerator", ()) for file in one["files"]]
        assert named
        for name in named:
            assert (path.parent / name).exists(), f"{path}: {name}"
    named = {document["metadata"]["name"] for path in BUILT_IN for document in documents(path)}
    monitors = documents(KUBERNETES / "monitoring" / "servicemonitors.yaml")
    labels = [service["metadata"]["labels"] for service in objects("Service")]
    for monitor in monitors:
        assert monitor["apiVersion"] == "monitoring.coreos.com/v1"
        assert any(monitor["spec"]["selector"]["matchLabels"].items() <= one.items() for one in labels)
        assert monitor["spec"]["endpoints"][0]["port"] == "metrics"
    assert {"croupier", "tournament"} <= named


def test_the_alerts_of_the_operator_are_those_of_prometheus():
    (rule,) = documents(KUBERNETES / "monitoring" / "alerts.yaml")
    (alerts,) = documents(DEPLOY / "prometheus" / "alerts.yml")
    assert rule["kind"] == "PrometheusRule"
    assert rule["spec"] == alerts


# -------------------------------------------------------------------------------------------------------- the image


def test_hadolint_finds_nothing_in_the_containerfile():
    code, said = program("hadolint", str(CONTAINERFILE))
    assert (code, said) == (0, "")


def test_hadolint_would_find_something(tmp_path):
    bad = tmp_path / "Containerfile"
    bad.write_text(CONTAINERFILE.read_text().replace("python:3.11-slim-bookworm", "python:latest"))
    code, said = program("hadolint", str(bad))
    assert code == 1
    assert "DL3007" in said


def test_the_image_runs_as_somebody_who_is_not_root_and_copies_what_is_there():
    text = CONTAINERFILE.read_text()
    final = text[text.rindex("\nFROM ") :]
    assert re.search(r"^USER (?!0\b|root\b)\d+$", final, re.MULTILINE)
    assert "HEALTHCHECK" in final
    copied = [
        source for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE) for source in shlex.split(line)[:-1]
    ]
    seen = (DEPLOY / "images" / "Containerfile.dockerignore").read_text().splitlines()
    for source in copied:
        assert (ROOT / source).exists()
        assert f"!{source}" in seen


def locked(path):
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", path.read_text(), flags=re.MULTILINE))


def test_the_image_has_the_versions_that_are_tested_and_nothing_for_development():
    runtime, everything = locked(DEPLOY / "images" / "runtime.lock"), locked(ROOT / "requirements.lock")
    assert runtime.items() <= everything.items()
    assert "://" not in (DEPLOY / "images" / "runtime.lock").read_text()
    assert {"grpcio", "asyncpg", "uvloop", "opentelemetry-sdk", "scipy"} <= runtime.keys()
    assert not {"pytest", "mypy", "ruff", "uv", "playwright", "hypothesis"} & runtime.keys()


# ----------------------------------------------------------------------------------------------- compose and systemd

COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())


@pytest.mark.parametrize("name", ["compose.yaml", "compose.secure.yaml"])
def test_compose_holds_to_its_schema(name):
    compose_validator().validate(compose_document(name))


def test_a_wrong_field_of_compose_would_be_noticed():
    document = compose_document("compose.yaml")
    document["services"]["croupier"]["red_only"] = True
    with pytest.raises(jsonschema.ValidationError):
        compose_validator().validate(document)


def compose_document(name):
    return yaml.load((DEPLOY / name).read_text(), ComposeLoader)


def compose_validator():
    return jsonschema.Draft202012Validator(json.loads((SCHEMAS / "compose-spec.json").read_text()))


class ComposeLoader(yaml.SafeLoader):
    """Knows the tags that compose has for files that change others."""


for tag in ("!override", "!reset"):
    ComposeLoader.add_constructor(
        tag,
        lambda loader, node: (
            loader.construct_mapping(node, deep=True)
            if isinstance(node, yaml.MappingNode)
            else loader.construct_sequence(node, deep=True)
        ),
    )


def test_compose_refers_to_what_is_there():
    for name, service in COMPOSE["services"].items():
        for dependency in service.get("depends_on", {}):
            assert dependency in COMPOSE["services"], name
        for mount in service.get("volumes", ()):
            source = mount.partition(":")[0]
            if source.startswith("."):
                assert (DEPLOY / source).exists(), mount
            else:
                assert source in COMPOSE["volumes"], mount
    build = COMPOSE["services"]["croupier"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).resolve() == CONTAINERFILE


def test_compose_shows_nothing_to_other_machines_and_writes_nowhere_but_where_it_should():
    for service in COMPOSE["services"].values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    for name in ("croupier", "tournament"):
        service = COMPOSE["services"][name]
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        drain = re.search(r"--drain-grace (\d+)", service["command"])
        assert int(service["stop_grace_period"].rstrip("s")) > (int(drain[1]) if drain else 0)


def test_prometheus_asks_where_compose_serves_metrics():
    for target in ("croupier", "croupier-tournament", "alertmanager"):
        (group,) = yaml.safe_load((DEPLOY / "prometheus" / "targets" / f"{target}.yml").read_text())
        (address,) = group["targets"]
        host, _, port = address.partition(":")
        assert host in COMPOSE["services"]
        if target != "alertmanager":
            assert f"--metrics 0.0.0.0:{port}" in COMPOSE["services"][host]["command"]


def test_grafana_is_provisioned_with_what_is_mounted():
    mounts = dict(volume.split(":")[:2] for volume in COMPOSE["services"]["grafana"]["volumes"])
    provisioning = DEPLOY / "grafana" / "provisioning"
    (provider,) = yaml.safe_load((provisioning / "dashboards" / "croupier.yaml").read_text())["providers"]
    assert mounts["./grafana/dashboards"] == provider["options"]["path"]
    assert mounts["./grafana/provisioning"] == "/etc/grafana/provisioning"
    (source,) = yaml.safe_load((provisioning / "datasources" / "prometheus.yaml").read_text())["datasources"]
    assert source["url"].removeprefix("http://").partition(":")[0] in COMPOSE["services"]
    uids = [json.loads(path.read_text())["uid"] for path in (DEPLOY / "grafana" / "dashboards").glob("*.json")]
    assert sorted(uids) == ["croupier-bot", "croupier-service", "croupier-tournament"]


@pytest.mark.parametrize("unit", sorted(path.name for path in (DEPLOY / "systemd").iterdir()))
def test_units_drain_and_can_write_nothing_but_their_state(unit):
    text = (DEPLOY / "systemd" / unit).read_text()
    lines = dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))
    assert lines["DynamicUser"] == lines["NoNewPrivileges"] == "yes"
    assert lines["ProtectSystem"] == "strict"
    assert int(lines["TimeoutStopSec"]) > 10
    assert f"/var/lib/{lines['StateDirectory']}" in lines["ExecStart"]
    assert ("SuccessExitStatus" in lines) == (unit == "croupier.service")
