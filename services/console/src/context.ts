import type { NoticeKind } from '@tollgate/bus';
import type { OptionStore } from '@tollgate/options';
import type { Egress, EgressByOrigin, ImageLinks, Logger } from '@tollgate/runtime';
import type { Wallet } from '@tollgate/wallet';
import type { Redis } from 'ioredis';
import type { Devices } from './auth/devices.ts';
import type { SignInLimits } from './auth/limits.ts';
import type { MailCodes } from './auth/mail-codes.ts';
import type { Passwords } from './auth/passwords.ts';
import type { SecondSteps } from './auth/second-steps.ts';
import type { Sessions } from './auth/sessions.ts';
import type { OfferedModels } from './features/pricing/offered-models.ts';
import type { Oidc } from './features/third-party/oidc.ts';
import type { OAuthStates } from './features/third-party/states.ts';
import type { Board } from './jobs/board.ts';
import type { Mailer } from './mail/mailer.ts';
import type { ShownQuotas } from './shown-quota.ts';

/** What the services of the console work with, made once in `open.ts`. */
export interface Context {
  log: Logger;
  redis: Redis;
  options: OptionStore;
  offered: OfferedModels;
  sessions: Sessions;
  passwords: Passwords;
  limits: SignInLimits;
  devices: Devices;
  codes: MailCodes;
  secondSteps: SecondSteps;
  states: OAuthStates;
  oidc: Oidc;
  mailer: Mailer;
  wallet: Wallet;
  shown: ShownQuotas;
  /** Outgoing calls to channels. */
  egress: Egress;
  /** Outgoing calls by who typed the address. */
  egressByOrigin: EgressByOrigin;
  jobs: Board;
  images: ImageLinks;
  /** Tells every process that something it may keep in memory has changed; of channels that changed together, at once. */
  announce(kind: NoticeKind, id: string | number): Promise<void>;
  /** How often what begins by itself is done; 0 is never. */
  frequencies: { channelTestsMs: number; balancesMs: number };
  /** How many notices of one kind somebody gets in so many minutes. */
  noticeLimits: { count: number; minutes: number };
  /** Where Stripe is asked. */
  stripeAddress: string;
  /** Whoever registers with a password gets a first token. */
  givesDefaultToken: boolean;
  /** Nobody but this machine can reach the console. */
  isLocalOnly: boolean;
  /** Unix seconds. */
  startedAt: number;
}
