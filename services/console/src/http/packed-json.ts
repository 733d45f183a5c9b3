import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

const pack = promisify(gzip);
/** Below this, packing costs more than it saves. */
const smallest = 1024;

/** Packs the JSON of larger answers for those who can unpack it. */
export const packedJson: RequestHandler = (req, res, next) => {
  const plain = res.json.bind(res);
  res.vary('Accept-Encoding');
  res.json = (body) => {
    const text = JSON.stringify(body);
    if (text.length < smallest || req.acceptsEncodings('gzip', 'identity') !== 'gzip') return plain(body);
    pack(text).then(
      (bytes) => res.set({ 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' }).send(bytes),
      next,
    );
    return res;
  };
  next();
};
