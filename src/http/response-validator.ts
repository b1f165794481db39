import type { Request } from 'express';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import type { OpenAPIV3, OpenApiRequest } from 'express-openapi-validator/dist/framework/types.js';

/** The answer is sent as it is: who asked can read it. What it says is not logged, it may hold secrets. */
export function logWrongAnswer(err: unknown, _body: unknown, { log }: Request): void {
  log.error({ err }, 'an answer breaks openapi.yaml');
}

/**
 * Compiles the schema of a status with the first answer of that status. The base class compiles those of all statuses
 * that an operation has, most of which are never answered, and again for another content type of the request.
 */
export class ResponseValidatorByStatus extends ResponseValidator {
  override _getOrBuildValidator(
    request: OpenApiRequest,
    responses: OpenAPIV3.ResponsesObject,
  ): ReturnType<ResponseValidator['_getOrBuildValidator']> {
    const status = String(request.res?.statusCode);
    const response = responses[status];
    // The base class names what is wrong then.
    if (response === undefined) return super._getOrBuildValidator(request, responses);
    // It keeps what it has built by method, path and content type of the request.
    const key = { method: { value: status }, headers: { value: {} } };
    return super._getOrBuildValidator(Object.create(request, key) as OpenApiRequest, { [status]: response });
  }
}
