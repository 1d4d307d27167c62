import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { ValidateIf, validateSync, type ValidationError } from 'class-validator';
import { pointerTo, type JsonPointer } from '../kernel/json.js';
import type { Fault } from '../kernel/rejection.js';
import { isSurelyValid, shapeOf } from './dto-shape.js';
import { RejectionException } from './rejection-exception.js';

/**
 * The member may be absent; when it is present, null included, the other decorators judge it.
 * (`IsOptional` of class-validator lets null pass for absent, which a signed document must not.)
 */
export function IfPresent(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/**
 * Checks `@Body()`, `@Query()` and `@Param()` arguments whose type is a class with class-validator
 * decorators; other arguments pass untouched. Nested classes are named with `@Type(() => Nested)`
 * beside `@ValidateNested()`; a member without `@Type` is handed on as parsed, by reference.
 * Unknown members are refused, nothing is converted, no default is filled in.
 *
 * Refuses with `request-invalid` and all faults at once, each with its JSON pointer.
 */
@Injectable()
export class DtoPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'custom' || metatype === undefined || !isDto(metatype)) return value;
    return validateDto(metatype, value);
  }
}

/** @throws {RejectionException} `request-invalid` */
function validateDto<T extends object>(dto: Type<T>, value: unknown): T {
  const faults: Fault[] = [];
  const instance = instantiate(dto, value, '', faults);
  if (instance !== undefined && (faults.length > 0 || !isSurelyValid(shapeOf(dto), instance))) {
    const errors = validateSync(instance, {
      forbidUnknownValues: false,
      validationError: { target: false, value: false },
    });
    collectFaults(errors, '', faults);
  }
  if (faults.length > 0) throw new RejectionException({ code: 'request-invalid', faults });
  return instance as T;
}

function isDto(metatype: Type<unknown>): metatype is Type<object> {
  return shapeOf(metatype as Type<object>).size > 0;
}

/**
 * class-validator finds an object's decorators by its `constructor`, so only documented members are
 * ever copied: one that is named `constructor` cannot redirect it.
 */
function instantiate(
  dto: Type<object>,
  value: unknown,
  pointer: JsonPointer,
  faults: Fault[],
): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    faults.push({ pointer, detail: 'must be an object' });
    return undefined;
  }
  const shape = shapeOf(dto);
  const instance = Object.create(dto.prototype as object) as Record<string, unknown>;
  for (const [name, member] of Object.entries(value)) {
    const known = shape.get(name);
    if (known?.nested !== undefined) {
      const at = pointerTo(pointer, name);
      instance[name] = instantiateNested(known.nested, known.isArray, member, at, faults);
    } else if (known !== undefined) {
      instance[name] = member;
    } else {
      faults.push({ pointer: pointerTo(pointer, name), detail: 'is not a documented member' });
    }
  }
  return instance;
}

function instantiateNested(
  dto: Type<object>,
  isArray: boolean,
  value: unknown,
  pointer: JsonPointer,
  faults: Fault[],
): unknown {
  if (!isArray) return instantiate(dto, value, pointer, faults);
  if (!Array.isArray(value)) {
    faults.push({ pointer, detail: 'must be an array' });
    return undefined;
  }
  return value.map((item, index) => instantiate(dto, item, pointerTo(pointer, index), faults));
}

function collectFaults(errors: ValidationError[], parent: JsonPointer, faults: Fault[]): void {
  for (const error of errors) {
    const pointer = pointerTo(parent, error.property);
    // A member of the wrong kind was left out of the instance: its absence is no second fault.
    const known = faults.some((fault) => isWithin(fault.pointer, pointer));
    const details = Object.values(error.constraints ?? {});
    if (details.length > 0 && !known) faults.push({ pointer, detail: details.join('; ') });
    collectFaults(error.children ?? [], pointer, faults);
  }
}

function isWithin(pointer: JsonPointer, parent: JsonPointer): boolean {
  return pointer === parent || pointer.startsWith(`${parent}/`);
}
