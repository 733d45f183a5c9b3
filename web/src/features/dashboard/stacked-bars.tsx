import Box from '@mui/material/Box';
import { BarChart } from '@mui/x-charts/BarChart';
import { useState } from 'react';

export interface BarsSeries {
  label: string;
  color: string;
  values: number[];
}

interface StackedBarsProps {
  labels: string[];
  series: BarsSeries[];
  format: (value: number) => string;
}

const height = 300;

/** Bars over time, one upon the other. A picture: the same stands in a table beside it. */
export function StackedBars({ labels, series, format }: StackedBarsProps) {
  const [isStill] = useState(() => matchMedia('(prefers-reduced-motion: reduce)').matches);
  return (
    // The chart is gone through by arrows, and takes its own outline away.
    <Box
      sx={{ width: '100%', minWidth: 0, '& [tabindex]:focus-visible': { outline: '2px solid var(--tg-palette-primary-main) !important' } }}
    >
      <BarChart
        height={height}
        hideLegend
        skipAnimation={isStill}
        margin={{ left: 4, right: 4, top: 12, bottom: 0 }}
        borderRadius={2}
        grid={{ horizontal: true }}
        xAxis={[{ scaleType: 'band', data: labels, height: 26, categoryGapRatio: 0.25, tickLabelStyle: { fontSize: 11 } }]}
        yAxis={[{ width: 62, valueFormatter: format, tickLabelStyle: { fontSize: 11 } }]}
        series={series.map(({ label, color, values }) => ({
          data: values,
          label,
          color,
          stack: 'all',
          valueFormatter: (value: number | null) => (value ? format(value) : null),
        }))}
      />
    </Box>
  );
}
