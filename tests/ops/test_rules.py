"""What is shipped for Prometheus and Alertmanager, by their own tools; every alert has a page that says what to do."""

import re
import subprocess

import pytest
import yaml
from world import DEPLOY, ROOT


@pytest.mark.parametrize(
    "argv",
    [
        ("promtool", "check", "config", "prometheus.yml"),
        ("promtool", "check", "rules", "alerts.yml"),
        ("promtool", "test", "rules", "alerts_test.yml"),
        ("amtool", "check-config", "../alertmanager/alertmanager.yml"),
    ],
)
def test_their_own_tools_find_nothing_wrong(argv):
    done = subprocess.run(argv, cwd=DEPLOY / "prometheus", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_broken_rule_would_be_found(tmp_path):
    alerts = (DEPLOY / "prometheus" / "alerts.yml").read_text()
    (tmp_path / "alerts.yml").write_text(alerts.replace('up{job="croupier"} == 0', 'up{job="croupier"} == 1'))
    (tmp_path / "alerts_test.yml").write_text((DEPLOY / "prometheus" / "alerts_test.yml").read_text())
    done = subprocess.run(
        ["promtool", "test", "rules", "alerts_test.yml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "CroupierServerDown" in done.stderr + done.stdout


def test_every_alert_is_tested_firing_and_silent():
    rules = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())
    tests = yaml.safe_load((DEPLOY / "prometheus" / "alerts_test.yml").read_text())["tests"]
    cases = [case for test in tests for case in test["alert_rule_test"]]
    names = {rule["alert"] for group in rules["groups"] for rule in group["rules"]}
    assert names == {case["alertname"] for case in cases if case.get("exp_alerts")}
    silent = {case["alertname"] for case in cases if not case.get("exp_alerts")}
    assert names - silent == {"CroupierBotFaulty"}  # beside the bot that is, another is not


def test_every_alert_leads_to_a_section_of_the_runbook():
    text = (ROOT / "docs" / "runbook.md").read_text()
    anchors = {heading.lower() for heading in re.findall(r"^## (\w+)$", text, re.MULTILINE)}
    rules = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())
    links = [rule["annotations"]["runbook_url"] for group in rules["groups"] for rule in group["rules"]]
    assert {link.removeprefix("docs/runbook.md#") for link in links} == anchors
    assert len(links) == len(set(links))
