import type { AttemptStats, ChannelHealth } from '@tollgate/contracts/api/channel-stats';
import { failingShare } from '@tollgate/contracts/constants';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { formatCount, formatDateTime, formatFigure, formatSeconds, type Tone } from '../../shared/format.ts';
import { Faint } from '../../shared/ui/faint.tsx';
import { focusableHint } from '../../shared/ui/hint.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';

type Translate = TFunction<['channels', 'shared']>;

/** With fewer attempts a channel is not called failing. */
const fewestAttempts = 5;
const badShare = 0.2;
const poorShare = 0.02;

/** Most attempts of the last ten minutes failed. */
export function isFailing({ recent }: Pick<ChannelHealth, 'recent'>): boolean {
  return recent.attempts >= fewestAttempts && recent.errors >= recent.attempts * failingShare;
}

export function FailingTag({ health: { recent }, t }: { health: ChannelHealth; t: Translate }) {
  const { attempts, errors } = recent;
  return (
    <StatusTag
      tone="error"
      label={t('health.failing')}
      hint={t('health.failingHint', { errors: formatCount(errors), attempts: formatCount(attempts) })}
    />
  );
}

/** Share of failed attempts, such as `2.1 %`; '' without attempts. */
export function errorRate({ attempts, errors }: Pick<AttemptStats, 'attempts' | 'errors'>): string {
  return attempts === 0 ? '' : `${formatFigure((errors / attempts) * 100, 2)} %`;
}

export function rateTone({ attempts, errors }: Pick<AttemptStats, 'attempts' | 'errors'>): Tone {
  const share = attempts === 0 ? 0 : errors / attempts;
  if (share >= badShare) return 'error';
  return share >= poorShare ? 'warning' : 'success';
}

export function formatMs(ms: number | undefined): string {
  return ms === undefined ? '—' : formatSeconds(ms / 1000);
}

/** Error rate, slowest usual answer and the traffic of the last 24 hours. */
export function HealthCell({ health, t }: { health: ChannelHealth | undefined; t: Translate }): ReactNode {
  if (health === undefined || health.attempts === 0) return <Faint>—</Faint>;
  const { attempts, errors, duration, hours } = health;
  const words = t('health.cellHint', { attempts: formatCount(attempts), errors: formatCount(errors), p95: formatMs(duration?.p95) });
  return (
    <span className="health" {...focusableHint(words)}>
      <span className="toned" data-tone={rateTone(health)}>
        {errorRate(health)}
      </span>
      <Faint>{` ${formatMs(duration?.p95)} `}</Faint>
      <Spark steps={hours} width={56} height={16} />
    </span>
  );
}

interface SparkProps {
  steps: { created_at: number; attempts: number; errors: number }[];
  width: number;
  height: number;
  /** Names each bar by its moment. */
  isLabelled?: boolean;
}

/** Attempts by step as bars, failed ones red. A picture: the figures stand beside it. */
export function Spark({ steps, width, height, isLabelled = false }: SparkProps) {
  const most = Math.max(1, ...steps.map(({ attempts }) => attempts));
  const each = 100 / Math.max(1, steps.length);
  return (
    <svg
      width={isLabelled ? '100%' : width}
      height={height}
      viewBox={`0 0 100 ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      style={{ verticalAlign: 'middle', display: isLabelled ? 'block' : undefined }}
    >
      {steps.map(({ created_at: at, attempts, errors }, place) => {
        const whole = attempts === 0 ? 0 : Math.max(1, (attempts / most) * height);
        const failed = errors === 0 ? 0 : Math.max(1, (errors / attempts) * whole);
        return (
          <g key={at}>
            {isLabelled && <title>{`${formatDateTime(at)}: ${errors} / ${attempts}`}</title>}
            <rect x={place * each} y={height - whole} width={each * 0.8} height={whole - failed} fill="var(--tg-palette-success-main)" />
            <rect x={place * each} y={height - failed} width={each * 0.8} height={failed} fill="var(--tg-palette-error-main)" />
          </g>
        );
      })}
    </svg>
  );
}
