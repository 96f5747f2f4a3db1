import { type PointerEvent, type ReactNode, useState } from 'react';
import type { Series } from './plot.ts';
import { ticksOf } from './plot-scale.ts';
import classes from './plots.module.css';

/**
 * Plots as plain elements, placed in percent: a page with four of them has them drawn in one go, and nothing is measured or drawn again when its
 * width changes. A library of plots takes some hundred milliseconds for the same.
 */
export interface PlotGiven<Name extends string> {
  /** From left to right. */
  readonly rows: readonly PlotRow<Name>[];
  readonly series: readonly Series<Name>[];
  readonly isInPercent?: boolean;
  /** So many names of rows fit below it. */
  readonly mostLabels?: number;
  /** What the colors stand for is said below it. */
  readonly hasLegend?: boolean;
}

/** `key` tells it from the others, which may be called alike, as an hour is that comes twice when clocks are set back. */
export interface PlotRow<Name extends string> {
  readonly key: string;
  readonly when: string;
  readonly drawn: Readonly<Record<Name, number>>;
}

/** Of a plot without a legend, for what stands in its place. */
export const PLOT_HEIGHT = 210;

const PERCENT = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact' });

const inPercent = (share: number): string => `${PERCENT.format(share)} %`;

const WIDEST_PX = 26;

/** Bars on top of each other; what is below zero hangs from it. */
export function StackedBars<Name extends string>(given: PlotGiven<Name>): ReactNode {
  const { rows, series } = given;
  const ends = rows.flatMap(({ drawn }) => {
    const values = series.map(({ name }) => drawn[name]);
    const sum = (part: readonly number[]) => part.reduce((total, value) => total + value, 0);
    return [sum(values.filter((value) => value > 0)), sum(values.filter((value) => value < 0))];
  });
  return (
    <Frame {...given} values={ends}>
      {(placeOf) =>
        rows.map(({ key, drawn }, index) => {
          let [above, below] = [0, 0];
          return series.map(({ name, color }) => {
            const value = drawn[name];
            if (value === 0) return null;
            const [from, to] = value > 0 ? [above, above + value] : [below + value, below];
            if (value > 0) above = to;
            else below = from;
            return (
              <span
                key={`${key} ${name}`}
                className={classes.bar}
                data-series={name}
                style={{
                  ...{ left: middleOf(index, rows.length), width: `min(${WIDEST_PX}px, ${80 / rows.length}%)` },
                  ...{ bottom: `${placeOf(from)}%`, height: `${placeOf(to) - placeOf(from)}%`, background: color },
                }}
              />
            );
          });
        })
      }
    </Frame>
  );
}

/** Bars beside each other. */
export function GroupedBars<Name extends string>(given: PlotGiven<Name>): ReactNode {
  const { rows, series } = given;
  return (
    <Frame {...given} values={rows.flatMap(({ drawn }) => series.map(({ name }) => drawn[name]))}>
      {(placeOf) =>
        rows.map(({ key, drawn }, index) => (
          <span key={key} className={classes.group} style={acrossRow(index, rows.length)}>
            {series.map(({ name, color }) => (
              <span key={name} data-series={name} style={{ height: `${placeOf(drawn[name])}%`, background: color }} />
            ))}
          </span>
        ))
      }
    </Frame>
  );
}

/** Points of more rows lie too close to each other. */
const MOST_POINTS = 60;

/** A line for each series, from the middle of each row to that of the next. */
export function Lines<Name extends string>(given: PlotGiven<Name>): ReactNode {
  const { rows, series } = given;
  return (
    <Frame {...given} values={rows.flatMap(({ drawn }) => series.map(({ name }) => drawn[name]))}>
      {(placeOf) => (
        <>
          <svg className={classes.lines} viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden>
            {series.map(({ name, color }) => (
              <polyline
                key={name}
                points={rows.map(({ drawn }, index) => `${(100 * (index + 0.5)) / rows.length},${100 - placeOf(drawn[name])}`).join(' ')}
                stroke={color}
              />
            ))}
          </svg>
          {rows.length <= MOST_POINTS
            ? series.map(({ name, color }) =>
                rows.map(({ key, drawn }, index) => (
                  <span
                    key={`${key} ${name}`}
                    className={classes.point}
                    data-series={name}
                    style={{ left: middleOf(index, rows.length), bottom: `${placeOf(drawn[name])}%`, background: color }}
                  />
                )),
              )
            : null}
        </>
      )}
    </Frame>
  );
}

/** Where a value stands, in percent from the bottom. */
type PlaceOf = (value: number) => number;

function acrossRow(index: number, rows: number): { readonly left: string; readonly width: string } {
  return { left: `${(100 * index) / rows}%`, width: `${100 / rows}%` };
}

function middleOf(index: number, rows: number): string {
  return `${(100 * (index + 0.5)) / rows}%`;
}

interface FrameGiven<Name extends string> extends PlotGiven<Name> {
  /** Among them the lowest and the highest that is drawn. */
  readonly values: readonly number[];
  readonly children: (placeOf: PlaceOf) => ReactNode;
}

/** Lines with their numbers, the names of rows, and what is pointed at. */
function Frame<Name extends string>(given: FrameGiven<Name>): ReactNode {
  const { rows, series, values, isInPercent = false, mostLabels = rows.length, hasLegend = false, children } = given;
  const ticks = ticksOf(values, !isInPercent);
  const [low, high] = [ticks[0]!, ticks.at(-1)!];
  const placeOf: PlaceOf = (value) => (100 * (value - low)) / (high - low);
  const each = Math.ceil(rows.length / mostLabels);
  return (
    <>
      <div className={classes.plot} data-percent={isInPercent || undefined}>
        {ticks.map((tick) => (
          <span key={tick} className={classes.line} style={{ bottom: `${placeOf(tick)}%` }}>
            <span className={classes.tick}>{isInPercent ? inPercent(tick) : COMPACT.format(tick)}</span>
          </span>
        ))}
        {children(placeOf)}
        {rows.map((row, index) =>
          index % each === 0 ? (
            <span key={row.key} className={classes.when} style={acrossRow(index, rows.length)}>
              <span>{row.when}</span>
            </span>
          ) : null,
        )}
        <Pointed rows={rows} series={series} format={isInPercent ? inPercent : (count) => count.toLocaleString('en')} />
      </div>
      {hasLegend ? (
        <div className={classes.legend}>
          {series.map(({ name, label, color }) => (
            <Named key={name} label={label} color={color} />
          ))}
        </div>
      ) : null}
    </>
  );
}

interface PointedGiven<Name extends string> extends Pick<PlotGiven<Name>, 'rows' | 'series'> {
  readonly format: (value: number) => string;
}

/** The numbers of the row that is pointed at. */
function Pointed<Name extends string>({ rows, series, format }: PointedGiven<Name>): ReactNode {
  const [pointed, setPointed] = useState<number>();
  const point = ({ clientX, currentTarget }: PointerEvent): void => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setPointed(Math.min(Math.max(Math.floor(((clientX - left) / width) * rows.length), 0), rows.length - 1));
  };
  const row = pointed === undefined ? undefined : rows[pointed];
  return (
    <div className={classes.pointed} onPointerMove={point} onPointerDown={point} onPointerLeave={() => setPointed(undefined)}>
      {pointed === undefined || !row ? null : (
        <>
          <span className={classes.band} style={acrossRow(pointed, rows.length)} />
          <div
            className={classes.numbers}
            style={
              pointed < rows.length / 2
                ? { left: `${(100 * (pointed + 1)) / rows.length}%` }
                : { right: `${(100 * (rows.length - pointed)) / rows.length}%` }
            }
          >
            <div className={classes.name}>{row.when}</div>
            {series.map(({ name, label, color }) => (
              <div key={name} className={classes.number}>
                <Named label={label} color={color} />
                <span>{format(row.drawn[name])}</span>
              </div>
            ))}
          </div>
        </>
      )}
    </div>
  );
}

function Named({ label, color }: Pick<Series, 'label' | 'color'>): ReactNode {
  return (
    <span className={classes.named}>
      <span className={classes.swatch} style={{ background: color }} />
      {label}
    </span>
  );
}
