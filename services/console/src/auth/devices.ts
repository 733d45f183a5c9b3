import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { jwtKeys, verifyWithOne } from './sessions.ts';

export const deviceCookie = 'device';

const algorithm = 'HS256';
const issuer = 'tollgate-device';
const lifeSeconds = 180 * 24 * 3600;
const claims = z.object({ did: z.string(), sub: z.string() });

/** A browser that somebody has signed in with before. */
export interface Device {
  id: string;
  userId: number;
}

/** Cookies by which a browser is known again when somebody signs in; they give no rights, only a count of attempts of their own. */
export interface Devices {
  /** The cookie's value for a browser that a user has just signed in with; a known one keeps its name. */
  sign(userId: number, known: Device | undefined): string;
  /** The device that a cookie names; undefined when it is forged, old or none. */
  find(cookie: string | undefined): Device | undefined;
}

export function createDevices(masterKey: Buffer, also: readonly Buffer[] = []): Devices {
  const keys = jwtKeys(masterKey, also, 'tollgate:devices:v1');
  return {
    sign(userId, known) {
      const id = known?.userId === userId ? known.id : randomBytes(18).toString('base64url');
      return jwt.sign({ did: id }, keys[0], { algorithm, issuer, subject: String(userId), expiresIn: lifeSeconds });
    },
    find(cookie) {
      if (!cookie) return undefined;
      try {
        const { did, sub } = claims.parse(verifyWithOne(cookie, keys, { algorithms: [algorithm], issuer }));
        return { id: did, userId: Number(sub) };
      } catch (error) {
        if (error instanceof jwt.JsonWebTokenError || error instanceof z.ZodError) return undefined;
        throw error;
      }
    },
  };
}

/** It travels only where somebody signs in. */
export function setDeviceCookie(req: Request, res: Response, value: string): void {
  res.cookie(deviceCookie, value, {
    httpOnly: true,
    sameSite: 'strict',
    secure: req.secure,
    path: '/api/user/login',
    maxAge: lifeSeconds * 1000,
  });
}
