import { createEgress, type Egress, type EgressOptions } from './egress.ts';
import type { egressEnv } from './service-env.ts';

/** Outgoing connections by the origin of the address. All may reach public addresses; each has its own allow list. */
export interface EgressByOrigin {
  /** Channels and addresses that their providers return: `EGRESS_ALLOW`. */
  channels: Egress;
  /** The operator's own services (sign-in, mail, the worker, an administrator's webhook): `EGRESS_ALLOW_SERVICES`. */
  services: Egress;
  /** Callers and users (files by URL, users' webhooks): `EGRESS_ALLOW_USERS`. */
  users: Egress;
  close(): Promise<void>;
  /** Cuts open connections. */
  destroy(): Promise<void>;
}

type Allowed = { readonly [Name in keyof typeof egressEnv.shape]: readonly string[] };

/** Opens all three. Names from users are resolved separately, so that their slow name servers delay nothing else. */
export function openEgress(env: Allowed, options: Pick<EgressOptions, 'connectTimeoutMs'> = {}): EgressByOrigin {
  const { EGRESS_ALLOW, EGRESS_ALLOW_SERVICES, EGRESS_ALLOW_USERS } = env;
  const ofServices =
    EGRESS_ALLOW_SERVICES.length === 0
      ? ({ allow: EGRESS_ALLOW, setting: 'EGRESS_ALLOW' } as const)
      : ({ allow: EGRESS_ALLOW_SERVICES, setting: 'EGRESS_ALLOW_SERVICES' } as const);
  const channels = createEgress({ ...options, allow: EGRESS_ALLOW });
  const services = createEgress({ ...options, ...ofServices });
  const users = createEgress({ ...options, allow: EGRESS_ALLOW_USERS, setting: 'EGRESS_ALLOW_USERS', looksUpApart: true });
  const all = [channels, services, users];
  return {
    channels,
    services,
    users,
    close: async () => void (await Promise.all(all.map((each) => each.close()))),
    destroy: async () => void (await Promise.all(all.map((each) => each.destroy()))),
  };
}
