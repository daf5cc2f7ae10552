"""Parts that the dashboards share: where data come from, what is chosen at the top, and panels in one style."""

from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, timeseries
from grafana_foundation_sdk.models.common import (
    LegendDisplayMode,
    LegendPlacement,
    StackingMode,
    TooltipDisplayMode,
    VizOrientation,
)
from grafana_foundation_sdk.models.dashboard import (
    DataSourceRef,
    Threshold,
    ThresholdsMode,
    VariableOption,
    VariableRefresh,
)

SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
QUANTILES = {"median": 0.5, "p99": 0.99}


def board(title: str, uid: str, about: str) -> dashboard.Dashboard:
    """A dashboard without panels. Whoever looks at it chooses the Prometheus that it asks."""
    return (
        dashboard.Dashboard(title)
        .uid(uid)
        .description(about)
        .tags(["croupier"])
        .refresh("10s")
        .time("now-1h", "now")
        .link(dashboard.DashboardLink("Croupier").tags(["croupier"]).as_dropdown(True).keep_time(True))
        .with_variable(dashboard.DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
    )


def choice(name: str, label: str, query: str, *, several: bool = True) -> dashboard.QueryVariable:
    """Something to choose at the top of a dashboard: the values of a label."""
    variable = (
        dashboard.QueryVariable(name)
        .label(label)
        .query(query)
        .datasource(SOURCE)
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
    )
    if several:
        everything = VariableOption(text="All", value="$__all", selected=True)
        variable.multi(True).include_all(True).all_value(".*").current(everything)
    return variable


def graph(title: str, about: str, unit: str, queries: dict[str, str], *, width: int = 8) -> timeseries.Panel:
    """A panel of lines: legends with their expressions."""
    return _filled(
        timeseries.Panel()
        .line_width(1)
        .fill_opacity(8)
        .legend(
            common.VizLegendOptions()
            .display_mode(LegendDisplayMode.TABLE)
            .placement(LegendPlacement.BOTTOM)
            .show_legend(True)
            .calcs(["lastNotNull", "max"])
        )
        .tooltip(common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI)),
        title,
        about,
        unit,
        queries,
        (width, 8),
    )


def stacked(title: str, about: str, unit: str, queries: dict[str, str], *, width: int = 8) -> timeseries.Panel:
    """Lines whose sum means something."""
    panel = graph(title, about, unit, queries, width=width).fill_opacity(30)
    return panel.stacking(common.StackingConfig().mode(StackingMode.NORMAL))


def number(title: str, about: str, unit: str, query: str, *, warn: float | None = None, width: int = 4) -> stat.Panel:
    """One number; orange from ``warn`` on."""
    steps = [Threshold(value=None, color="green")]
    if warn is not None:
        steps.append(Threshold(value=warn, color="orange"))
    panel = stat.Panel().orientation(VizOrientation.AUTO)
    panel.thresholds(dashboard.ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps(steps))
    return _filled(panel, title, about, unit, {"": query}, (width, 4))


def quantiles(metric: str, by: str = "", where: str = "") -> dict[str, str]:
    """Median and 99th percentile of a histogram, for each value of a label."""
    labels = f"{by}, le" if by else "le"
    legend = f"{{{{{by}}}}} " if by else ""
    rates = f"sum by ({labels}) (rate({metric}_bucket{where}[$__rate_interval]))"
    return {f"{legend}{name}": f"histogram_quantile({share}, {rates})" for name, share in QUANTILES.items()}


def _filled(panel, title, about, unit, queries, size):
    panel.title(title).description(about).unit(unit).datasource(SOURCE).span(size[0]).height(size[1]).min(0)
    for letter, (legend, expression) in zip("ABCDEFGH", queries.items(), strict=False):
        query = prometheus.Dataquery().expr(expression).ref_id(letter).legend_format(legend)
        panel.with_target(query.exemplar("_bucket" in expression))
    return panel
