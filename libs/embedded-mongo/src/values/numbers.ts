import { Decimal128, Double, Int32, Long } from 'bson';

/** A number of any BSON type. */
export type BsonNumber = number | Double | Long | Int32 | Decimal128;

export function isNumeric(value: unknown): value is BsonNumber {
  return typeof value === 'number' || value instanceof Double || value instanceof Int32 || value instanceof Decimal128 || isLong(value);
}

function isLong(value: unknown): value is Long {
  return (value as { _bsontype?: string } | null)?._bsontype === 'Long';
}

const isInt32 = (value: number) => value === (value | 0) && !Object.is(value, -0);

/** Whether the value is an integer type (int or long) in BSON. */
function isInteger(value: BsonNumber): boolean {
  return isLong(value) || value instanceof Int32 || (typeof value === 'number' && isInt32(value));
}

function bigOf(value: BsonNumber): bigint {
  return isLong(value) ? value.toBigInt() : BigInt(Number(value));
}

function doubleOf(value: BsonNumber): number {
  return isLong(value) || value instanceof Decimal128 ? Number(value.toString()) : Number(value);
}

const [lowest, highest] = [-(2n ** 63n), 2n ** 63n - 1n];

/**
 * Sum or product with MongoDB's types: int and int give int, or long when it does not fit; a long stays long; any double
 * makes a double; any decimal a decimal. Undefined when a long would overflow.
 */
export function calculate(operator: '+' | '*', a: BsonNumber, b: BsonNumber): BsonNumber | undefined {
  if (a instanceof Decimal128 || b instanceof Decimal128) return decimalResult(operator, a, b);
  if (isInteger(a) && isInteger(b)) {
    if (typeof a === 'number' && typeof b === 'number') {
      const plain = operator === '+' ? a + b : a * b;
      if (isInt32(plain)) return plain;
    }
    const exact = operator === '+' ? bigOf(a) + bigOf(b) : bigOf(a) * bigOf(b);
    if (exact < lowest || exact > highest) return undefined;
    if (!isLong(a) && !isLong(b) && isInt32(Number(exact))) return Number(exact);
    return Long.fromBigInt(exact);
  }
  const result = operator === '+' ? doubleOf(a) + doubleOf(b) : doubleOf(a) * doubleOf(b);
  return isInt32(result) ? new Double(result) : result;
}

function decimalResult(operator: '+' | '*', a: BsonNumber, b: BsonNumber): Decimal128 {
  const [left, right] = [scaled(a), scaled(b)];
  if (left === undefined || right === undefined)
    return Decimal128.fromString(String(operator === '+' ? doubleOf(a) + doubleOf(b) : doubleOf(a) * doubleOf(b)));
  if (operator === '*') return Decimal128.fromStringWithRounding(`${left.digits * right.digits}E${left.exponent + right.exponent}`);
  const exponent = Math.min(left.exponent, right.exponent);
  const lift = ({ digits, exponent: own }: { digits: bigint; exponent: number }) => digits * 10n ** BigInt(own - exponent);
  return Decimal128.fromStringWithRounding(`${lift(left) + lift(right)}E${exponent}`);
}

function scaled(value: BsonNumber): { digits: bigint; exponent: number } | undefined {
  const text = value instanceof Decimal128 || isLong(value) ? value.toString() : String(Number(value));
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (whole === '' && fraction === '') return undefined;
  if (Math.abs(Number(exponent)) > 400) return undefined;
  return { digits: BigInt(`${sign}${whole}${fraction}`), exponent: Number(exponent) - fraction.length };
}
