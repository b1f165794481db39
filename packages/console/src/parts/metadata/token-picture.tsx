import { FileMediaIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import styles from './token-picture.module.css';

const DATA = /^data:image\//i;

/**
 * The picture of a token. One that is on the chain is shown; one on another host is named, since the page asks no other
 * host for anything: who hosts a picture would see who looks at it.
 * @param image `image` of the token's JSON
 */
export function TokenPicture({
  image,
  alt,
  children = 'No picture',
}: {
  image: string | undefined;
  alt: string;
  /** Stands there when there is no picture. */
  children?: ReactNode;
}) {
  if (image !== undefined && DATA.test(image)) {
    return (
      <div className={styles.frame}>
        <img className={styles.picture} src={image} alt={alt} />
      </div>
    );
  }
  return (
    <div className={styles.frame}>
      <div className={styles.placeholder}>
        <FileMediaIcon size={24} />
        {image === undefined ? (
          children
        ) : (
          <>
            <span>Hosted elsewhere</span>
            <bdi className={`${styles.link} mono`}>{image}</bdi>
          </>
        )}
      </div>
    </div>
  );
}
